// A request in XML, and as a curl command.

import { call, read } from "./api.js";
import { W } from "./words.js";

/** @typedef {import("./api.js").Exchange} Exchange */

/** The OpenAPI document, once it was needed. @type {Promise<{ data: any }> | undefined} */
let contract;

/**
 * Returns the root element of an operation's body, as the OpenAPI document names it.
 * @param {string} method
 * @param {string} path
 * @returns {Promise<string>}
 */
async function rootOf(method, path) {
  contract ??= call("GET", "/openapi.json", { quiet: true });
  contract.catch(() => (contract = undefined));
  const { paths, components } = (await contract).data;
  const parts = path.split("?", 1)[0]?.split("/") ?? [];
  const isIt = (/** @type {string} */ template) => {
    const wanted = template.split("/");
    return wanted.length === parts.length && wanted.every((part, at) => part.startsWith("{") || part === parts[at]);
  };
  const operations = Object.keys(paths)
    .filter(isIt)
    .map((template) => paths[template][method.toLowerCase()]);
  const body = operations.find((operation) => operation?.requestBody).requestBody.content["application/xml"].schema;
  return components.schemas[body.$ref.split("/").at(-1)].xml.name;
}

/** Returns the request as a curl command. A variable stands for the key, which is never shown. @param {Exchange} exchange @param {string} base */
export function asCurl(exchange, base) {
  const parts = ["curl"];
  if (exchange.method === "HEAD") parts.push("--head");
  else if (exchange.method !== "GET") parts.push("-X " + exchange.method);
  parts.push('-H "api_key: $KEY"');
  for (const [name, value] of Object.entries(exchange.headers)) parts.push("-H " + quoted(`${name}: ${value}`));
  if (exchange.body !== undefined) parts.push("-d " + quoted(exchange.body));
  parts.push(quoted(base + exchange.path));
  return parts.join(" \\\n  ");
}

/** Returns a write as it would be sent in XML. @param {Exchange} exchange @param {string} head */
export async function asXml(exchange, head) {
  const headers = Object.entries(exchange.headers).map(
    ([name, value]) => `${name}: ${name === "Content-Type" ? "application/xml" : value}`,
  );
  const { method, path } = exchange;
  const body = exchange.body === undefined ? "" : element(await rootOf(method, path), read(exchange.body), "");
  return `${W.drawer.xmlOfWrite}\n\n${[head, ...headers].join("\n")}\n\n${body}`;
}

/**
 * An element: a list is its element repeated, and `null` is `xsi:nil`.
 * @param {string} name
 * @param {unknown} value
 * @param {string} indent
 * @returns {string}
 */
function element(name, value, indent) {
  if (Array.isArray(value)) return value.map((item) => element(name, item, indent)).join("");
  if (value === null)
    return `${indent}<${name} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>\n`;
  if (typeof value !== "object") return `${indent}<${name}>${escaped(String(value))}</${name}>\n`;
  const members = Object.entries(value).map(([member, inner]) => element(member, inner, indent + "  "));
  return `${indent}<${name}>\n${members.join("")}${indent}</${name}>\n`;
}

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Quotes a text for a shell. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
