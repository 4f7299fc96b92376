import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JSONWebKeySet } from 'jose'
import { signMessage } from '../../src/tools/receipts/sign-message.ts'
import {
  type ReceivedRequest,
  verifyReceipt,
  verifyRequest,
} from '../../src/tools/receipts/verify-receipt.ts'
import { plainEnv } from '../support/plain-env.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { verifies } from '../support/verifies.ts'
import { startSigningShop } from './start-signing-shop.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies('receipts:tamper-proof', 'a signature is the one of RFC 9421, appendix B.2.6', () => {
  const key = createPrivateKey(
    '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n-----END PRIVATE KEY-----\n',
  )
  const signed = signMessage(
    [
      ['date', 'Tue, 20 Apr 2021 02:07:55 GMT'],
      ['@method', 'POST'],
      ['@path', '/foo'],
      ['@authority', 'example.com'],
      ['content-type', 'application/json'],
      ['content-length', '18'],
    ],
    { created: 1618884473, keyid: 'test-key-ed25519' },
    key,
    'sig-b26',
  )
  assert.deepEqual(signed, {
    'Signature-Input':
      'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
    Signature:
      'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
  })
})

const proof = ['content-digest', 'bellhop-approval', 'signature-input', 'signature']

/** Every byte of what is signed, one changed at a time; another target; another method. */
function* tamperedWith(request: ReceivedRequest): Generator<ReceivedRequest> {
  const other = (text: string, at: number) =>
    text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
  for (let at = 0; at < request.body.length; at++) {
    const body = Buffer.from(request.body)
    body[at] = (body[at] ?? 0) ^ 1
    yield { ...request, body }
  }
  for (const name of proof) {
    const value = request.headers[name] ?? ''
    for (let at = 0; at < value.length; at++)
      yield { ...request, headers: { ...request.headers, [name]: other(value, at) } }
    const { [name]: _, ...without } = request.headers
    yield { ...request, headers: without }
  }
  const { origin, pathname } = new URL(request.url)
  for (let at = 0; at < pathname.length; at++)
    if (pathname[at] !== '/') yield { ...request, url: `${origin}${other(pathname, at)}` }
  yield { ...request, url: `${request.url}?all=true` }
  yield { ...request, url: `https://other.example${pathname}` }
  yield { ...request, body: Buffer.concat([request.body, Buffer.from(' ')]) }
  for (const method of ['PUT', 'DELETE', 'post']) yield { ...request, method }
}

verifies(
  'receipts:tamper-proof',
  'no byte of a request can be changed, nor its target or method, and it is over after 60 seconds',
  async () => {
    await using shop = await startSigningShop(await sharedApp())
    const { request } = await shop.approved(refund)
    const keys = await shop.keys()
    const now = shop.ctx.now()
    assert.equal((await verifyRequest(request, keys, now)).ok, true)
    let count = 0
    for (const tampered of tamperedWith(request)) {
      count++
      const verdict = await verifyRequest(tampered, keys, now)
      assert.equal(verdict.ok, false, JSON.stringify(tampered))
    }
    assert.ok(count > 1000, String(count))
    const receipt = request.headers['bellhop-approval'] ?? ''
    for (const [at, character] of [...receipt].entries()) {
      const changed = receipt.slice(0, at) + (character === 'A' ? 'B' : 'A') + receipt.slice(at + 1)
      // The last character of a signature of 64 bytes has four bits that mean nothing; the outer signature covers them.
      if (at === receipt.length - 1) continue
      assert.equal((await verifyReceipt(changed, keys, now)).ok, false, `${at}`)
    }
    const late = new Date(now.getTime() + 61_000)
    assert.match(JSON.stringify(await verifyRequest(request, keys, late)), /expired/)
    assert.match(JSON.stringify(await verifyRequest(request, { keys: [] }, now)), /not in the list/)
  },
)

const refund = { name: 'shop__refund', input: { id: 'A-1', amount: 20 } }

type Line = {
  request: Omit<ReceivedRequest, 'body'> & { body: string }
  keys: JSONWebKeySet['keys']
  now: number
}

/** The rest of a program around a verifier of the docs: a request per line in, `ok` or `no` per line out. */
const languages = {
  js: {
    isInstalled: () => true,
    rest: `import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const { request, keys, now } = JSON.parse(line)
  try { verifyApproval({ ...request, body: Buffer.from(request.body, 'base64') }, keys, now); console.log('ok') }
  catch { console.log('no') }
}`,
    file: 'verify.mjs',
    command: [process.execPath, 'verify.mjs'],
  },
  python: {
    isInstalled: () => runs('python3', '-c', 'import cryptography'),
    rest: `import sys
for line in sys.stdin:
    one = json.loads(line)
    r = one["request"]
    try:
        verify_approval(r["method"], r["url"], r["headers"], base64.b64decode(r["body"]), one["keys"], one["now"])
        print("ok")
    except (ValueError, KeyError, TypeError, InvalidSignature):
        print("no")`,
    file: 'verify.py',
    command: ['python3', 'verify.py'],
  },
  go: {
    isInstalled: () => runs('go', 'version'),
    rest: `type line struct {
	Request struct {
		Method, Url string
		Headers     map[string]string
		Body        []byte
	}
	Keys []Key
	Now  float64
}

func main() {
	in := json.NewDecoder(os.Stdin)
	for {
		var one line
		if in.Decode(&one) != nil {
			return
		}
		r := one.Request
		if _, err := verifyApproval(r.Method, r.Url, r.Headers, r.Body, one.Keys, one.Now); err != nil {
			fmt.Println("no")
		} else {
			fmt.Println("ok")
		}
	}
}`,
    file: 'verify.go',
    command: ['go', 'run', 'verify.go'],
  },
} as const

verifies(
  'receipts:verifiers',
  'the verifiers of docs/receipts.md accept a genuine request once, and nothing that was changed, is late or comes again',
  async () => {
    await using shop = await startSigningShop(await sharedApp())
    const { request } = await shop.approved(refund)
    const { keys } = await shop.keys()
    const now = Math.floor(shop.ctx.now().getTime() / 1000)
    const line = (one: ReceivedRequest, at = now): Line => ({
      request: { ...one, body: Buffer.from(one.body).toString('base64') },
      keys,
      now: at,
    })
    const refused = [...tamperedWith(request)].map((one) => line(one))
    const late = [line(request, now + 61), line(request, now - 600)]
    const lines = [...refused, ...late, line(request), line(request)]
    const expected = [...[...refused, ...late].map(() => 'no'), 'ok', 'no']
    const page = readFileSync(join(import.meta.dirname, '../../docs/receipts.md'), 'utf8')
    for (const [name, { isInstalled, rest, file, command }] of Object.entries(languages)) {
      const verifier = new RegExp(`^\`\`\`${name}\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1]
      assert.ok(verifier, `docs/receipts.md has no verifier in ${name}`)
      if (!isInstalled()) {
        console.info(`${name} (or its cryptography) is not installed here, so its verifier was not run.`)
        continue
      }
      await using folder = await temporaryFolder()
      const program = name === 'go' ? verifier.replace('"errors"', '"errors"\n\t"fmt"\n\t"os"') : verifier
      await writeFile(join(folder.path, file), `${program}\n${rest}\n`)
      const [executable, ...args] = command
      const out = execFileSync(executable, args, {
        cwd: folder.path,
        env: { ...plainEnv, HOME: folder.path, GOFLAGS: '-mod=mod' },
        input: lines.map((one) => `${JSON.stringify(one)}\n`).join(''),
        maxBuffer: 10 ** 7,
      })
      assert.deepEqual(out.toString().trim().split('\n'), expected, name)
    }
  },
)

function runs(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { env: plainEnv, stdio: 'ignore' }).status === 0
}
