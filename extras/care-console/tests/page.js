// What modules of the page find around them where there is no browser: import it before them.

const storage = () => {
  const all = new Map();
  return {
    getItem: (/** @type {string} */ name) => all.get(name) ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ text) => all.set(name, text),
    removeItem: (/** @type {string} */ name) => all.delete(name),
  };
};

const around = {
  addEventListener() {},
  document: { baseURI: "http://desk.example/1.0.0/console/", documentElement: {} },
  IntersectionObserver: class {},
  ResizeObserver: class {},
  localStorage: storage(),
  navigator: { languages: ["en"] },
  sessionStorage: storage(),
};
for (const [name, value] of Object.entries(around)) Object.defineProperty(globalThis, name, { value });
