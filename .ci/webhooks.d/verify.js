// Verifies captured messages by the JavaScript libraries of Standard Webhooks and of Svix.

const assert = require("node:assert");
const { readFileSync } = require("node:fs");

const libraries = { standardwebhooks: require("standardwebhooks").Webhook, svix: require("svix").Webhook };
const messages = readFileSync(process.argv[2], "utf8").trim().split("\n").map((line) => JSON.parse(line));
assert(messages.length > 200);
let count = 0;
for (const { secrets, headers: sent, body: encoded } of messages) {
  const headers = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]));
  const body = Buffer.from(encoded, "base64").toString("utf8");
  for (const [name, Webhook] of Object.entries(libraries)) {
    for (const secret of secrets) {
      const webhook = new Webhook(secret);
      // It throws unless the signature is right.
      webhook.verify(body, headers);
      count += 1;
      assert.throws(() => webhook.verify(`${body} `, headers), name);
      assert.throws(() => webhook.verify(body, { ...headers, "webhook-id": `${headers["webhook-id"]}0` }), name);
    }
  }
}
console.log(`${messages.length} messages, ${count} times verified in JavaScript`);
