import { html, raw } from 'hono/html'
import type { OpenApi, Operation } from './openapi.ts'

/** One page without scripts, so that it works under any content security policy. */
export function renderApiDocs(api: OpenApi): string {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const groups = Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? '')
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Bellhop</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${raw(style)}</style>
</head>
<body>
<nav>${[...groups.keys()].map((name) => html`<a href="#${name}">${name}</a>`)}</nav>
<main>
<h1>Bellhop API</h1>
<p>Version ${api.info.version}. ${api.info.description} The same as <a href="openapi.json">OpenAPI 3.1</a>.
Send an API key as <code>Authorization: Bearer blh_…</code>.</p>
${[...groups].map(
  ([name, members]) => html`<h2 id="${name}">${name}</h2>
${members.map(({ method, path, operation }) => section(method, path, operation))}`,
)}
</main>
</body>
</html>`)
}

function section(method: string, path: string, operation: Operation) {
  const body = operation.requestBody?.content['application/json']?.schema
  return html`<details><summary><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code> ${operation.summary}</summary>
<p>${operation.description}</p>
${operation.parameters.map(
  (parameter) =>
    html`<p><code>${parameter.name}</code> in the ${parameter.in}: <code>${JSON.stringify(parameter.schema)}</code></p>`,
)}
${body ? html`<h4>Body</h4><pre>${JSON.stringify(body, null, 2)}</pre>` : ''}
${Object.entries(operation.responses).map(
  ([status, response]) => html`<h4>${status} ${response.description}</h4>
${shown(response.content)}`,
)}</details>`
}

/** All problems have the same shape, so it is not repeated. */
function shown(content: Operation['responses'][string]['content']) {
  const schema = (content?.['application/json'] ?? content?.['text/event-stream'])?.schema
  return schema ? html`<pre>${JSON.stringify(schema, null, 2)}</pre>` : ''
}

/** The colours of the dashboard, light or dark as the system prefers. */
const style = `
:root { color-scheme: light dark; --line: light-dark(#e3e3e0, #333330); --surface: light-dark(#fafaf8, #222221);
  --dimmed: light-dark(#5d6268, #a6a6a1); --accent: light-dark(#85560f, #e6b564); --read: light-dark(#1f7a3a, #6fd08c);
  --gone: light-dark(#b42318, #ff8f85) }
body { margin: 0; font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; display: grid;
  grid-template-columns: 200px minmax(0, 1fr); color: light-dark(#1b1b1a, #cbcbc6); background: light-dark(#fff, #1b1b1a) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 20px 12px; background: var(--surface);
  border-right: 1px solid var(--line); box-sizing: border-box }
nav a { display: block; padding: 4px 12px; border-radius: 6px; color: var(--dimmed); text-decoration: none }
nav a:hover { color: inherit; background: var(--line) }
main { padding: 24px; max-width: 900px; overflow-wrap: anywhere }
h1 { margin: 0 0 8px; font-size: 20px } h2 { margin: 32px 0 8px; font-size: 16px } h4 { margin: 12px 0 4px }
a { color: var(--accent) } code, pre { font: 12.5px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
details { border: 1px solid var(--line); border-radius: 6px; margin: 8px 0; padding: 8px 12px }
summary { cursor: pointer; color: var(--dimmed) } summary code { margin-right: 8px; color: light-dark(#1b1b1a, #cbcbc6) }
summary b { display: inline-block; min-width: 60px; font-size: 12px; color: var(--accent) }
summary b.get { color: var(--read) } summary b.delete { color: var(--gone) }
pre { overflow: auto; max-height: 400px; background: var(--surface); border: 1px solid var(--line); border-radius: 6px;
  padding: 10px 12px; white-space: pre-wrap }
@media (max-width: 700px) { body { display: block } main { padding: 16px }
  nav { position: static; height: auto; padding: 12px 8px; border: 0; border-bottom: 1px solid var(--line) }
  nav a { display: inline-block; padding: 4px 8px } }
`
