// The records of the service, under short names. `.ci/console` makes `openapi.d.ts` from docs/openapi.json.

import type { components } from "./openapi";

type Schemas = components["schemas"];

export type Key = Schemas["Key"];
export type Patient = Schemas["Patient"];
export type History = Schemas["History"];
export type Item = Schemas["Inventory"];
export type Invoice = Schemas["Invoice"];
export type ListedInvoice = Schemas["ListedInvoice"];
export type Receipt = Schemas["Receipt"];
export type Today = Schemas["Today"];
export type Takings = Schemas["Takings"];
export type DayTakings = Schemas["DayTakings"];
export type MethodTotal = Schemas["MethodTotal"];
export type Prescription = Schemas["Prescription"];
export type ListedPrescription = Schemas["ListedPrescription"];
export type Consultation = Schemas["Consultation"];
export type Restock = Schemas["Restock"];
export type RestockItem = Schemas["RestockItem"];
export type JournalEntry = Schemas["JournalEntry"];
export type JournalChange = Schemas["JournalChange"];
export type JournalHead = Schemas["JournalHead"];
export type Problem = Schemas["Problem"];
export type Stock = Schemas["Stock"];
export type Movement = Schemas["Movement"];
export type Supply = Schemas["Supply"];
export type Plan = Schemas["Plan"];
export type Backtest = Schemas["Backtest"];
