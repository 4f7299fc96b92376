import assert from 'node:assert/strict'
import { ConfigError, describeConfig, readConfig } from '../../src/config.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const key = Buffer.alloc(32, 1).toString('base64')

function complaints(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.complaints
    throw error
  }
  return []
}

verifies(
  'config:defaults',
  'an empty environment gives a service on 127.0.0.1:3000 with an embedded database',
  () => {
    const config = readConfig({})
    assert.equal(config.host, '127.0.0.1')
    assert.equal(config.port, 3000)
    assert.equal(config.role, 'all')
    assert.equal(config.databaseUrl, null)
    assert.equal(config.model, null)
    assert.match(config.dataDir, /data$/)
    assert.deepEqual(config.egressAllowedHosts, [])
  },
)

verifies(
  'config:complains-completely',
  'all faults are reported at once, each with the setting’s name and what to write',
  () => {
    const said = complaints({
      PORT: 'abc',
      ROLE: 'boss',
      PUBLIC_URL: 'ftp://x',
      ADMIN_EMAIL: 'a@example.com',
      API_KEY: 'short',
    })
    for (const name of ['PORT', 'ROLE', 'PUBLIC_URL', 'ADMIN_EMAIL', 'API_KEY']) {
      assert.ok(
        said.some((line) => line.startsWith(name)),
        `${name} is not among: ${said.join(' | ')}`,
      )
    }
    assert.match(said.join('\n'), /ROLE must be all, web or worker/)
    assert.match(said.join('\n'), /API_KEY must start with blh_/)
    const model = { MODEL_PROVIDER: 'openai', MODEL_NAME: 'm' }
    for (const key of ['planted\nkey', 'planted\u200bkey']) {
      const said = complaints({ ...model, MODEL_API_KEY: key })
      assert.deepEqual(said, ['MODEL_API_KEY must have ASCII characters only, without line breaks'])
    }
    assert.deepEqual(complaints({ ...model, MODEL_API_KEY: 'key\n' }), [])
    for (const url of ['https://kim:pw@x.example', 'https://x.example?a', 'https://x.example/#a']) {
      assert.match(complaints({ PUBLIC_URL: url })[0] ?? '', /PUBLIC_URL must have no user/)
    }
    for (const url of ['https://x.example/hooks', 'https://x.example/api/bellhop']) {
      assert.match(complaints({ PUBLIC_URL: url })[0] ?? '', /PUBLIC_URL must not have api, hooks/)
    }
    assert.deepEqual(complaints({ PUBLIC_URL: 'https://x.example/bellhop/' }), [])
    for (const host of ['999.1.1.1', 'a b']) {
      assert.match(complaints({ HOST: host })[0] ?? '', /HOST must be an address/)
    }
    const inQuotes = { PORT: '"3000"', DATA_DIR: "'./data'", MODEL_NAME: '"' }
    assert.deepEqual(
      complaints(inQuotes).map((line) => line.split(' has quotation marks around its value')[0]),
      [
        'PORT',
        'DATA_DIR',
        'MODEL_PROVIDER is missing: MODEL_NAME, MODEL_API_KEY and MODEL_BASE_URL do nothing without it',
      ],
    )
    for (const host of ['0.0.0.0', '::', '::1', 'bellhop-1']) assert.deepEqual(complaints({ HOST: host }), [])
  },
)

verifies(
  'config:complains-completely',
  'an address to listen on that this machine does not have is reported with what to write',
  async () => {
    // Reserved for documentation.
    await assert.rejects(
      startTestApp({ env: { HOST: '192.0.2.1' } }),
      /HOST is 192\.0\.2\.1, which is no address of this machine\. Set it to 127\.0\.0\.1 .* or to 0\.0\.0\.0/,
    )
  },
)

verifies(
  'config:frozen',
  'the configuration cannot be changed after it was read, including its lists',
  () => {
    const config = readConfig({
      PORT: '4000',
      EGRESS_ALLOWED_HOSTS: 'a.example',
      ENCRYPTION_KEY: key,
      ADMIN_EMAIL: 'a@example.com',
      ADMIN_PASSWORD: 'a long password',
      MODEL_PROVIDER: 'offline',
    })
    const changeable = (value: unknown, path: string): string[] => {
      if (typeof value !== 'object' || value === null) return []
      const inside = Object.entries(value).flatMap(([name, inner]) => changeable(inner, `${path}.${name}`))
      return Object.isFrozen(value) ? inside : [path, ...inside]
    }
    assert.deepEqual(changeable(config, 'config'), [])
    assert.throws(() => {
      // @ts-expect-error: that is the point
      config.port = 1
    }, TypeError)
  },
)

verifies('config:defaults', 'a public URL in capitals, or with its usual port, is the same address', () => {
  for (const PUBLIC_URL of ['HTTPS://Bellhop.Example.com/', 'https://bellhop.example.com:443'])
    assert.equal(readConfig({ PUBLIC_URL }).publicUrl, 'https://bellhop.example.com')
})

verifies(
  'config:misspelled-name',
  'a name that begins like a setting is reported with those that it may be',
  () => {
    assert.deepEqual(complaints({ EGRESS_ALLOWED_HOST: 'a.example' }), [
      'EGRESS_ALLOWED_HOST is not a setting of Bellhop; did you mean EGRESS_ALLOWED_HOSTS or EGRESS_PRIVATE_EXCEPTIONS?',
    ])
    assert.match(complaints({ MODEL_KEY: 'k' })[0] ?? '', /did you mean .*MODEL_API_KEY/)
    assert.match(complaints({ BELLHOP_PUBLIC_URL: 'x' })[0] ?? '', /did you mean PUBLIC_URL\?/)
    assert.deepEqual(complaints({ PATH: '/bin', HOME: '/root', npm_config_x: 'y' }), [])
  },
)

verifies(
  'config:misspelled-name',
  'letters in another order, in lower case or without an underscore are reported, whatever the name begins with',
  () => {
    for (const [written, meant] of [
      ['PUBLICURL', 'PUBLIC_URL'],
      ['PUBLIC_ULR', 'PUBLIC_URL'],
      ['public_url', 'PUBLIC_URL'],
      ['TRUSTEDPROXIES', 'TRUSTED_PROXIES'],
      ['OTEL_EXPORTER_OLTP_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    ] as const) {
      assert.deepEqual(complaints({ [written]: 'x' }), [
        `${written} is not a setting of Bellhop; did you mean ${meant}?`,
      ])
    }
    const ofOthers = ['HOSTNAME', 'DATADIR', 'host', 'APIKEY', 'DATABASE_URL_TEST', 'PUBLIC_PATH']
    assert.deepEqual(complaints(Object.fromEntries(ofOthers.map((name) => [name, 'x']))), [])
  },
)

verifies(
  'config:misspelled-name',
  'what Kubernetes and Docker links put into the environment about a service called bellhop or model is no misspelling',
  () => {
    const linked = (name: string) => ({
      [`${name}_SERVICE_HOST`]: '10.0.0.7',
      [`${name}_SERVICE_PORT`]: '3000',
      [`${name}_SERVICE_PORT_HTTP`]: '3000',
      [`${name}_PORT`]: 'tcp://10.0.0.7:3000',
      [`${name}_PORT_3000_TCP`]: 'tcp://10.0.0.7:3000',
      [`${name}_PORT_3000_TCP_ADDR`]: '10.0.0.7',
      [`${name}_PORT_3000_TCP_PORT`]: '3000',
      [`${name}_PORT_3000_TCP_PROTO`]: 'tcp',
    })
    assert.deepEqual(complaints({ ...linked('BELLHOP'), ...linked('MODEL'), ...linked('BELLHOP_WEB') }), [])
  },
)

verifies(
  'config:key-with-database-url',
  'DATABASE_URL without ENCRYPTION_KEY is refused, with the command that makes one',
  () => {
    assert.match(
      complaints({ DATABASE_URL: 'postgres://u@h/d' })[0] ?? '',
      /ENCRYPTION_KEY is missing.*openssl rand -base64 32/,
    )
    assert.deepEqual(complaints({ DATABASE_URL: 'postgres://u@h/d', ENCRYPTION_KEY: key }), [])
  },
)

verifies(
  'config:complains-completely',
  'a password in DATABASE_URL that is not percent-encoded is found in the address',
  () => {
    const faults = (url: string) => complaints({ DATABASE_URL: url, ENCRYPTION_KEY: key })
    for (const url of ['postgres://u:p@ss/#w@h/d', 'postgres://u:12/3@h/d', 'postgres://u:p@h/d#x'])
      assert.match(faults(url).join(), /DATABASE_URL .*%40, %2F, %23/)
    assert.deepEqual(faults('postgres://u%40h:p@ss@h/d?host=/run/postgresql&user=u@h'), [])
  },
)

verifies(
  'config:key-format',
  'a key that is not 32 bytes of base64 is refused, with the command that makes one',
  () => {
    for (const bad of ['abc', Buffer.alloc(31).toString('base64'), `${key},abc`]) {
      assert.match(
        complaints({ ENCRYPTION_KEY: bad })[0] ?? '',
        /ENCRYPTION_KEY must be 32 bytes in base64.*openssl/,
      )
    }
    assert.equal(readConfig({ ENCRYPTION_KEY: `${key}, ${key}` }).encryptionKeys.length, 2)
  },
)

verifies('config:egress-lists', 'each bad entry of the egress lists is refused by name', () => {
  assert.deepEqual(
    complaints({
      EGRESS_PRIVATE_EXCEPTIONS: '10.1.0.0/16,internal,db:99999,10.0.0.0/33',
      EGRESS_ALLOWED_HOSTS: 'api.example.com,https://shop.example.com',
      TRUSTED_PROXIES: 'my-proxy',
    }),
    [
      'EGRESS_ALLOWED_HOSTS "https://shop.example.com" is not a host name like api.example.com or *.example.com',
      'EGRESS_PRIVATE_EXCEPTIONS "internal" is neither host:port nor a range like 10.0.0.0/8',
      'EGRESS_PRIVATE_EXCEPTIONS "db:99999" is neither host:port nor a range like 10.0.0.0/8',
      'EGRESS_PRIVATE_EXCEPTIONS "10.0.0.0/33" is neither host:port nor a range like 10.0.0.0/8',
      'TRUSTED_PROXIES "my-proxy" is neither an address nor a CIDR such as 10.0.0.0/8',
    ],
  )
  const config = readConfig({
    EGRESS_PRIVATE_EXCEPTIONS: 'db.internal:8080, 10.1.0.0/16,[::1]:80',
    EGRESS_ALLOWED_HOSTS: '*.example.com',
  })
  assert.deepEqual(config.egressPrivateExceptions, ['db.internal:8080', '10.1.0.0/16', '[::1]:80'])
  assert.deepEqual(config.egressAllowedHosts, ['*.example.com'])
})

verifies(
  'config:secrets-shown-as-configured',
  'the description of the configuration has no secret in it',
  () => {
    const secrets = {
      ENCRYPTION_KEY: key,
      API_KEY: `blh_${'s'.repeat(40)}`,
      MODEL_API_KEY: 'sk-planted',
      METRICS_TOKEN: 'mt-planted',
      ADMIN_PASSWORD: 'planted-password',
    }
    const config = readConfig({
      ...secrets,
      ADMIN_EMAIL: 'a@example.com',
      MODEL_PROVIDER: 'openai',
      MODEL_NAME: 'm',
      DATABASE_URL: 'postgres://u:planted-db@h/d',
    })
    const shown = JSON.stringify(describeConfig(config))
    for (const secret of [...Object.values(secrets), 'planted-db']) assert.ok(!shown.includes(secret), secret)
    assert.match(shown, /"metricsToken":"configured"/)
    assert.ok(!JSON.stringify(config).includes('planted'))
  },
)

verifies('config:env-proxy-refused', 'a proxy that would bypass the address checks is refused', () => {
  assert.match(complaints({ NODE_USE_ENV_PROXY: '1' })[0] ?? '', /NODE_USE_ENV_PROXY must be unset/)
  assert.match(complaints({ NODE_OPTIONS: '--use-env-proxy' })[0] ?? '', /bypass/)
})

verifies('models:configured', 'an address of a model with a query or a fragment is refused', () => {
  const model = { MODEL_PROVIDER: 'openai-compatible', MODEL_NAME: 'm' }
  for (const tail of ['?key=1', '#top'])
    assert.deepEqual(complaints({ ...model, MODEL_BASE_URL: `https://models.example.com/v1${tail}` }), [
      'MODEL_BASE_URL must have no query (?…) and no fragment (#…)',
    ])
})
