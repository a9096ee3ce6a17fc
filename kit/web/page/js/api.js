// Asking the server. Law: only our own server, and every failure is a sentence that can be shown.

export class Failure extends Error {
  constructor(status, error, mend) {
    super(error);
    this.status = status;
    this.mend = mend || "";
  }
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, "", "");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Failure(answer.status, said.error || String(answer.status), said.mend);
  return said;
}

export function get(path, params = {}, signal = undefined) {
  const given = Object.entries(params).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  const query = new URLSearchParams(given).toString();
  return ask(`/api/${path}${query ? `?${query}` : ""}`, { signal });
}

export function post(path, body, etag = "") {
  const headers = { "Content-Type": "application/json" };
  if (etag) headers["If-Match"] = `"${etag}"`;
  return ask(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Give the token that stands in the address for a cookie, and take it out of the address. */
export async function enter() {
  const found = /^#token=([\w-]+)$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", "/#/");
  await post("session", { token: found[1] });
}
