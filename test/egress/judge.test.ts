import assert from 'node:assert/strict'
import { judgeAddress } from '../../src/platform/egress/judge-address.ts'
import { judgeUrl } from '../../src/platform/egress/judge-url.ts'
import { parsePolicy } from '../../src/platform/egress/parse-policy.ts'
import { fc } from '../support/property.ts'
import { verifies } from '../support/verifies.ts'

const open = parsePolicy({ allowedHosts: [], privateExceptions: [] })
const own = ['https://bellhop.example.com', 'http://127.0.0.1:3000']

function ruleFor(url: string, policy = open): string | null {
  const verdict = judgeUrl(policy, own, url)
  return verdict.ok ? null : verdict.refusal.rule
}

/** The verdict on a URL with a literal address, by the URL rules and the address rules together. */
function leadsOut(url: string, policy = open): boolean {
  const verdict = judgeUrl(policy, own, url)
  return verdict.ok && (verdict.isExempt || judgeAddress(verdict.host, policy.exemptRanges) === 'public')
}

verifies('egress:schemes', 'only http and https URLs without a user name pass', () => {
  assert.equal(ruleFor('https://api.example.com/v1'), null)
  assert.equal(ruleFor('http://api.example.com'), null)
  for (const url of [
    'ftp://example.com',
    'file:///etc/passwd',
    'gopher://example.com',
    'javascript:1',
    'ws://a.com',
  ]) {
    assert.equal(ruleFor(url), 'scheme', url)
  }
  assert.equal(ruleFor('https://user:pass@example.com'), 'userinfo')
  assert.equal(ruleFor('https://user@example.com'), 'userinfo')
  for (const url of [
    '',
    'api.example.com',
    'https://',
    'http://a b.com',
    '//example.com',
    'http://256.1.1.1',
  ]) {
    assert.equal(ruleFor(url), 'malformed-url', url)
  }
})

verifies(
  'egress:names-refused',
  'names of this machine and of the local network are refused in every spelling',
  () => {
    const names = [
      'localhost',
      'LOCALHOST',
      'localhost.',
      'a.localhost',
      'printer.local',
      'db.internal',
      'nas.home.arpa',
      'db',
      'db.',
    ]
    for (const name of names) assert.equal(ruleFor(`http://${name}/`), 'local-name', name)
    assert.equal(ruleFor('http://metadata.google.internal/computeMetadata/v1/'), 'local-name')
    assert.equal(ruleFor('http://localhost../'), 'name')
    assert.equal(ruleFor('http://a..example.com/'), 'name')
    assert.equal(ruleFor('http://ｌocalhost/'), 'local-name')
    assert.equal(ruleFor('http://internal.example.com/'), null)
  },
)

verifies(
  'egress:names-refused',
  'the dot at the end of a name is removed before anything is judged or dialled',
  () => {
    const verdict = judgeUrl(open, own, 'https://api.example.com./v1')
    assert.ok(verdict.ok)
    assert.equal(verdict.url.href, 'https://api.example.com/v1')
  },
)

verifies(
  'egress:own-origin-refused',
  'our own host and port are refused, whatever the scheme, even by exception',
  () => {
    const policy = parsePolicy({ allowedHosts: [], privateExceptions: ['127.0.0.1:3000', '127.0.0.0/8'] })
    assert.equal(ruleFor('https://bellhop.example.com/hooks/x', policy), 'own-origin')
    assert.equal(ruleFor('http://bellhop.example.com:443/', policy), 'own-origin')
    assert.equal(ruleFor('https://BELLHOP.example.com./', policy), 'own-origin')
    assert.equal(ruleFor('http://127.0.0.1:3000/', policy), 'own-origin')
    assert.equal(ruleFor('http://0x7f.1:3000/', policy), 'own-origin')
    assert.equal(ruleFor('https://bellhop.example.com:8443/', policy), null)
  },
)

verifies(
  'egress:allowlist',
  'with an allowlist only its hosts pass; a star stands for every name below',
  () => {
    const policy = parsePolicy({ allowedHosts: ['api.example.com', '*.Shop.example'], privateExceptions: [] })
    assert.equal(ruleFor('https://api.example.com/', policy), null)
    assert.equal(ruleFor('https://eu.shop.example/', policy), null)
    assert.equal(ruleFor('https://a.b.shop.example/', policy), null)
    for (const host of [
      'shop.example',
      'evilshop.example',
      'example.com',
      'api.example.com.evil.com',
      '8.8.8.8',
    ]) {
      assert.equal(ruleFor(`https://${host}/`, policy), 'allowlist', host)
    }
    assert.equal(ruleFor('https://anything.example.org/'), null)
  },
)

verifies(
  'egress:private-ranges',
  'the ranges that the specification names are refused, borders included',
  () => {
    const refused = [
      '10.0.0.0',
      '10.255.255.255',
      '172.16.0.0',
      '172.31.255.255',
      '192.168.0.0',
      '192.168.255.255',
      '127.0.0.1',
      '::1',
    ]
    for (const address of refused) assert.equal(judgeAddress(address), 'refused', address)
    for (const address of [
      '9.255.255.255',
      '11.0.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '192.169.0.0',
    ]) {
      assert.equal(judgeAddress(address), 'public', address)
    }
  },
)

verifies('egress:ipv4-special', 'every special-purpose IPv4 range is refused', () => {
  const refused = [
    '0.0.0.0', '0.1.2.3', '100.64.0.1', '100.127.255.255', '127.255.255.255', '168.63.129.16', '169.254.169.254', '192.0.0.1',
    '192.0.0.9', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1', '198.18.0.1', '198.19.255.255',
    '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255',
  ] // biome-ignore format: a list
  for (const address of refused) assert.equal(judgeAddress(address), 'refused', address)
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '168.63.129.17',
    '198.17.0.1',
    '223.255.255.255',
  ]) {
    assert.equal(judgeAddress(address), 'public', address)
  }
})

verifies('egress:ipv4-special', 'no spelling of a loopback address in a URL gets past', () => {
  const spellings = [
    '127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '0177.1', '017700000001', '127.0.0.1.',
    '１２７.0.0.1', '127。0。0。1', '%31%32%37.0.0.1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[::1]', '[0:0:0:0:0:0:0:1]',
    '[64:ff9b::127.0.0.1]', '[2002:7f00:1::]', '0', '[::]', '0.0.0.0',
  ] // biome-ignore format: a list
  for (const host of spellings) assert.equal(leadsOut(`http://${host}/`), false, host)
})

verifies('egress:ipv6-only-global', 'of IPv6 only global unicast passes, without its special parts', () => {
  const refused = [
    '::', '::1', '::ffff:8.8.8.8', '::8.8.8.8', '100::1', '100:0:0:1::1', '2001::1', '2001:1ff::1', '2001:db8::1', '2002:808:808::1',
    '2620:4f:8000::1', '3fff::1', '3fff:fff::1', '4000::1', '5f00::1', 'fc00::1', 'fd12::1', 'fe80::1', 'fec0::1', 'ff02::1',
    '64:ff9b:1::1', '64:ff9b:0:1::1', 'fe80::1%eth0', '2606:4700::1%1',
  ] // biome-ignore format: a list
  for (const address of refused) assert.equal(judgeAddress(address), 'refused', address)
  for (const address of [
    '2606:4700:4700::1111',
    '2a00:1450::1',
    '2001:4860:4860::8888',
    '2001:200::1',
    '3ffe::1',
  ]) {
    assert.equal(judgeAddress(address), 'public', address)
  }
})

verifies('egress:nat64-by-embedded', 'a DNS64 address is judged by the IPv4 address inside it', () => {
  assert.equal(judgeAddress('64:ff9b::8.8.8.8'), 'public')
  assert.equal(judgeAddress('64:ff9b::10.0.0.1'), 'refused')
  assert.equal(judgeAddress('64:ff9b::a9fe:a9fe'), 'refused')
})

verifies('egress:ipv4-special', 'whatever is not written as an address is refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^[0-9a-f:.]+$/i.test(text))
      assert.equal(judgeAddress(text), 'refused')
    }),
  )
  for (const text of ['0177.0.0.1', '127.1', '2130706433', ''])
    assert.equal(judgeAddress(text), 'refused', text)
})

verifies(
  'egress:ipv6-only-global',
  'an IPv4 address is judged alike wherever it may be embedded, or refused',
  () => {
    fc.assert(
      fc.property(fc.ipV4(), (v4) => {
        assert.equal(judgeAddress(`::ffff:${v4}`), 'refused')
        assert.equal(judgeAddress(`::${v4}`), 'refused')
        assert.equal(judgeAddress(`64:ff9b::${v4}`), judgeAddress(v4))
      }),
    )
  },
)

verifies(
  'egress:exceptions-from-environment',
  'host:port exempts exactly that pair from name and address rules',
  () => {
    const policy = parsePolicy({
      allowedHosts: ['api.example.com'],
      privateExceptions: ['localhost:8080', '10.0.0.5:9000', '[::1]:8080', 'db.internal:80'],
    })
    for (const url of [
      'http://localhost:8080/',
      'https://LOCALHOST.:8080/',
      'http://10.0.0.5:9000/',
      'http://[::1]:8080/',
      'http://db.internal/',
    ]) {
      assert.equal(leadsOut(url, policy), true, url)
    }
    for (const url of [
      'http://localhost:8081/',
      'http://10.0.0.5/',
      'http://10.0.0.6:9000/',
      'http://127.0.0.1:8080/',
      'https://db.internal/',
    ]) {
      assert.equal(leadsOut(url, policy), false, url)
    }
  },
)

verifies(
  'egress:exceptions-from-environment',
  'a range exempts its addresses from address rules, and from no name rule',
  () => {
    const policy = parsePolicy({
      allowedHosts: [],
      privateExceptions: ['10.1.0.0/16', 'fd00::/8', '192.168.7.7'],
    })
    assert.equal(leadsOut('http://10.1.2.3/', policy), true)
    assert.equal(leadsOut('http://[fd12::1]/', policy), true)
    assert.equal(leadsOut('http://192.168.7.7/', policy), true)
    assert.equal(leadsOut('http://10.2.0.1/', policy), false)
    assert.equal(leadsOut('http://192.168.7.8/', policy), false)
    assert.equal(leadsOut('http://[::ffff:10.1.2.3]/', policy), false)
    assert.equal(ruleFor('http://localhost/', policy), 'local-name')
  },
)

verifies('egress:exceptions-from-environment', 'all invalid settings are reported at once', () => {
  assert.throws(
    () =>
      parsePolicy({ allowedHosts: ['https://x.com/'], privateExceptions: ['10.0.0.0/33', 'a:b:c', 'host'] }),
    (error: Error) =>
      ['https://x.com/', '10.0.0.0/33', 'a:b:c', '"host"'].every((text) => error.message.includes(text)),
  )
})
