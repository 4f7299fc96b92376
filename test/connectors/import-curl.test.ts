import assert from 'node:assert/strict'
import { importCurl } from '../../src/connectors/import/curl/import-curl.ts'
import { verifies } from '../support/verifies.ts'

verifies('import:curl', 'no credential of a curl line becomes an example in the schema', () => {
  for (const [line, warnings] of [
    [`curl https://a.example.test/x -d '{"tokens":["planted-1"]}'`, 1],
    [`curl https://a.example.test/x -d '{"secret":{"value":"planted-2"}}'`, 1],
    [`curl https://a.example.test/x -d '{"user":{"name":"Kim","dbPass":"planted-3"}}'`, 0],
    [`curl https://a.example.test/x -d '{"pass":"planted-4","pwd":"planted-5","pw":"planted-6"}'`, 3],
    [`curl 'https://a.example.test/x?api_key=planted-7&api_key=planted-8' -H 'X-API-Key: k'`, 1],
    [`curl -u a:b 'https://a.example.test/x?appid=planted-9&sig=planted-10&X-Amz-Signature=planted-11'`, 3],
    [`curl 'https://a.example.test/query?u=planted-12&p=planted-13&q=1'`, 2],
    [`curl https://a.example.test/services/T00000000/B0A1B2C3D/planted3dE6gH9jK2mN5pQ8sT1vW4 -d a=1`, 0],
    ['curl https://a.example.test/tokens/4711000', 1],
  ] as const) {
    const preview = importCurl(line)
    assert.doesNotMatch(JSON.stringify(preview), /planted|4711000/, line)
    assert.equal(preview.warnings.length, warnings, line)
  }
  const harmless = importCurl('curl "https://a.example.test/x?design=a&compass=b&passenger=c&assignee=d"')
  assert.deepEqual(harmless.warnings, [])
  assert.deepEqual(harmless.tools[0]?.inputSchema.properties, {
    design: { type: 'string', examples: ['a'] },
    compass: { type: 'string', examples: ['b'] },
    passenger: { type: 'string', examples: ['c'] },
    assignee: { type: 'string', examples: ['d'] },
  })
  // A placeholder has no value that could be left out.
  assert.doesNotMatch(importCurl('curl https://a.example.test/t/{token}').warnings.join(), /left out/)
})

verifies('import:curl', 'a tool does what the curl line does, or the import says that it cannot', () => {
  const only = (line: string) => {
    const { tools, skipped, warnings } = importCurl(line)
    return { tool: tools[0], skipped, warnings: warnings.join('\n') }
  }
  const form = only(`curl -F 'title=a b;type=text/plain' --form-string 'note=@home' https://a.example.test/t`)
  assert.deepEqual([form.tool?.method, form.tool?.capability], ['POST', 'write'])
  assert.equal(form.tool?.bodyFormat, 'form')
  assert.deepEqual(form.tool?.inputSchema.properties, {
    title: { type: 'string', examples: ['a b'] },
    note: { type: 'string', examples: ['@home'] },
  })
  assert.match(form.warnings, /urlencoded/)
  const upload = only('curl -F image=@a.png -F title=hi https://a.example.test/t')
  assert.equal(upload.tool?.method, 'POST')
  assert.deepEqual(Object.keys(upload.tool?.inputSchema.properties ?? {}), ['title'])
  assert.match(upload.warnings, /Files .* left out/)
  assert.equal(only('curl -F image=@a.png https://a.example.test/t').tool?.method, 'POST')
  assert.equal(only('curl -X PATCH -F a=b https://a.example.test/t').tool?.method, 'PATCH')
  const put = only('curl -T a.png https://a.example.test/t')
  assert.deepEqual([put.tool?.method, put.tool?.capability], ['PUT', 'write'])

  const kind = 'application/vnd.api+json'
  const api = only(`curl https://a.example.test/t -H 'Content-Type: ${kind}; charset=utf-8' -d '{"data":{}}'`)
  assert.partialDeepStrictEqual(api.tool?.inputSchema, {
    properties: { 'Content-Type': { type: 'string', enum: [kind] } },
    required: ['Content-Type'],
  })
  assert.deepEqual(api.tool?.locations, { 'Content-Type': 'header' })

  for (const type of ['text/xml', 'text/plain', 'application/x-ndjson', 'multipart/form-data; boundary=x']) {
    const line = `curl https://a.example.test/t -H 'Content-Type: ${type}' -d '{}'`
    assert.throws(() => importCurl(line), { name: 'Error', message: /only JSON and urlencoded forms/ }, type)
  }
  const search = only(`curl -X GET https://a.example.test/_search --json '{"query":{}}'`)
  assert.equal(search.tool, undefined)
  assert.deepEqual(
    search.skipped.map(({ operation }) => operation),
    ['GET /_search'],
  )
  assert.match(search.skipped[0]?.reason ?? '', /A GET request has no body/)
})

verifies('import:curl', 'the address of a curl line is found among the values of unknown options', () => {
  const addressOf = (line: string) => importCurl(line).connector.baseUrl
  assert.equal(
    addressOf(`curl --proto '=https' --tlsv1.2 https://a.example.test/x`),
    'https://a.example.test',
  )
  assert.equal(addressOf('curl --unheard-of value HTTPS://a.example.test/x'), 'https://a.example.test')
  assert.equal(addressOf('curl a.example.test/x'), 'https://a.example.test')
  for (const other of ['file:///etc/passwd', 'ftp://a.example.test/x'])
    assert.throws(() => addressOf(`curl ${other}`), /no readable URL that begins with https:/)
})

verifies('import:curl', 'what follows the curl command on its line is not part of the request', () => {
  const commands = [
    'curl -s https://a.example.test/users | jq -r ".[]" | sort -u',
    'curl https://a.example.test/users|jq .',
    'curl https://a.example.test/users | grep -F foo',
    'curl https://a.example.test/users | xargs -I {} echo {}',
    'curl https://a.example.test/users && curl -X DELETE https://a.example.test/users/1',
    'curl https://a.example.test/users; curl -X DELETE https://a.example.test/users/1',
    'curl https://a.example.test/users\ncurl -X DELETE https://a.example.test/users/1',
    'curl \\\n https://a.example.test/users \\\r\n -s > users.json 2>&1',
  ]
  for (const line of commands) {
    const { connector, tools, warnings } = importCurl(line)
    assert.equal(connector.authType, 'none', line)
    assert.deepEqual([tools[0]?.method, tools[0]?.path, warnings], ['GET', '/users', []], line)
  }
  const quoted = importCurl(`curl 'https://a.example.test/x?a=1|2;3&&4' -d 'note=a; b | c'`)
  assert.deepEqual(quoted.tools[0]?.inputSchema.properties, {
    note: { type: 'string', examples: ['a; b | c'] },
    a: { type: 'string', examples: ['1|2;3'] },
    '4': { type: 'string', examples: [''] },
  })
  // Without quotes, a shell would end the command at the "&"; whoever writes it means the query.
  const unquoted = importCurl('curl https://a.example.test/x?a=1&b=2')
  assert.deepEqual(Object.keys(unquoted.tools[0]?.inputSchema.properties ?? {}), ['a', 'b'])
})

verifies('import:curl', 'an empty JSON object is a body too, and is sent', () => {
  const [tool] = importCurl(`curl -X POST https://a.example.test/jobs --json '{}'`).tools
  assert.deepEqual(tool?.locations, { body: 'wholeBody' })
  assert.deepEqual(tool?.inputSchema.required, ['body'])
})

verifies(
  'import:curl',
  'a line for the Windows command prompt is refused with the one to copy instead',
  () => {
    const instead = { message: /"Copy as cURL \(bash\)"/ }
    for (const line of [
      'curl ^"https://api.example.test/orders?state=open^&page=2^"',
      'curl -X POST ^\r\n  https://api.example.test/notes',
    ])
      assert.throws(() => importCurl(line), instead)
  },
)

verifies('import:curl', 'data from files is left out with a warning, and the rest is kept', () => {
  const read = (rest: string) => {
    const { tools, warnings } = importCurl(`curl https://a.example.test/x ${rest}`)
    const [tool] = tools
    return {
      inputs: Object.keys(tool?.inputSchema.properties ?? {}),
      method: tool?.method,
      isWarned: /file/.test(warnings.join()),
    }
  }
  const left = (...inputs: string[]) => ({ inputs, method: 'POST', isWarned: true })
  assert.deepEqual(read('--json @body.json'), left())
  assert.deepEqual(read('-d @-'), left())
  assert.deepEqual(read('-d a=1 -d @more.txt'), left('a'))
  assert.deepEqual(read("--data-urlencode 'message@letter.txt' --data-urlencode 'a=b'"), left('message', 'a'))
  assert.deepEqual(read('-G -d @query.txt'), { inputs: [], method: 'GET', isWarned: true })
  assert.deepEqual(read('-b cookies.txt'), { inputs: [], method: 'GET', isWarned: true })
  // Here the sign is part of the text.
  assert.deepEqual(read("--data-raw '@who=me'"), { inputs: ['who'], method: 'POST', isWarned: false })
  assert.deepEqual(read("--data-urlencode 'mail=me@example.com'"), {
    inputs: ['mail'],
    method: 'POST',
    isWarned: false,
  })
})

verifies('import:curl', 'headers, cookies and names mean what they mean to curl', () => {
  const { connector } = importCurl(
    `curl https://a.example.test/x -H 'Accept:' -H 'Authorization:' -H 'Expect:' -b a=1 -b 'c=2'`,
  )
  assert.deepEqual([connector.defaultHeaders, connector.authType], [{ cookie: 'a=1; c=2' }, 'none'])
  assert.equal(importCurl('curl -X GET -X PUT https://a.example.test/x').tools[0]?.method, 'PUT')
  assert.equal(importCurl('# Asks\n  # twice\ncurl https://a.example.test/x').tools.length, 1)
  for (const login of ['--digest -u me:secret', '--aws-sigv4 aws:amz -u AKIA:secret', '-E me.pem', '--ntlm'])
    assert.throws(() => importCurl(`curl ${login} https://a.example.test/x`), /cannot be imported/, login)
  const line = `curl https://a.example.test/write --data-binary 'cpu,host=a value=0.64 1434055562'`
  assert.throws(() => importCurl(line), /neither JSON nor a urlencoded form/)
  const keyed = importCurl(`curl 'https://a.example.test/x?q=1&apiKey=planted'`)
  assert.deepEqual(
    [keyed.connector.authType, keyed.connector.authName, keyed.connector.authValue],
    ['query', 'apiKey', 'planted'],
  )
  assert.deepEqual(Object.keys(keyed.tools[0]?.inputSchema.properties ?? {}), ['q'])
  const [series] = importCurl(`curl -G https://a.example.test/series --data-urlencode 'match[]=up'`).tools
  assert.deepEqual(series?.inputSchema.properties, {
    match: { type: 'array', items: { type: 'string', examples: ['up'] } },
  })
  assert.deepEqual(series?.locations, { match: { in: 'query', name: 'match[]' } })

  const [form] = importCurl(`curl https://a.example.test/x -d 'id=1&id=2' -d n=3`).tools
  assert.deepEqual(form?.inputSchema.properties, {
    id: { type: 'array', items: { type: 'string', examples: ['1'] } },
    n: { type: 'string', examples: ['3'] },
  })
  assert.deepEqual(form?.locations, { id: { in: 'body', name: 'id', style: 'repeat' } })
  const [list] = importCurl(`curl https://a.example.test/x -d '[{"id":1}]'`).tools
  assert.deepEqual([list?.bodyFormat, list?.locations], ['json', { body: 'wholeBody' }])
  const [query] = importCurl(`curl https://a.example.test/x --url-query '+a=b&c=d' --url-query 'e=f g'`).tools
  assert.deepEqual(Object.keys(query?.inputSchema.properties ?? {}), ['a', 'c', 'e'])
})
