import { html, raw } from 'hono/html'
import type { OpenApi, Operation } from './api-description.ts'

/** One page without scripts, so that it also reads well where nothing may run. */
export function renderApiDocs(api: OpenApi): string {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const groups = Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? '')
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bellhop API</title>
<style>${raw(style)}</style>
</head>
<body>
<nav>${[...groups.keys()].map((name) => html`<a href="#${name}">${name}</a>`)}</nav>
<main>
<h1>Bellhop API</h1>
<p>Version ${api.info.version}. ${api.info.description} The same as <a href="/api/openapi.json">OpenAPI 3.1</a>.
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

/** Problems all look alike, so they are not shown again and again. */
function shown(content: Operation['responses'][string]['content']) {
  const schema = (content?.['application/json'] ?? content?.['text/event-stream'])?.schema
  return schema ? html`<pre>${JSON.stringify(schema, null, 2)}</pre>` : ''
}

const style = `
:root { color-scheme: light dark; --line: #8884; --accent: light-dark(#8f5e15, #e0a84a) }
body { margin: 0; font: 14px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 200px minmax(0, 1fr) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 24px; border-right: 1px solid var(--line); box-sizing: border-box }
nav a { display: block; padding: 4px 0; color: inherit }
main { padding: 24px; max-width: 900px }
h1 { font-size: 20px } h2 { margin-top: 32px; font-size: 16px } h4 { margin: 12px 0 4px }
a { color: var(--accent) } code, pre { font: 13px ui-monospace, monospace }
details { border: 1px solid var(--line); border-radius: 6px; margin: 8px 0; padding: 8px 12px }
summary { cursor: pointer } summary b { display: inline-block; min-width: 60px; color: var(--accent) }
pre { overflow: auto; max-height: 400px; border: 1px solid var(--line); border-radius: 6px; padding: 8px }
@media (max-width: 700px) { body { display: block } nav { position: static; height: auto; border: 0 } nav a { display: inline-block; margin-right: 12px } }
`
