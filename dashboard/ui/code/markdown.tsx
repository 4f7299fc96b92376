import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CopyButton } from '../text/copy-button.tsx'
import classes from './markdown.module.css'
import type { splitTexts } from './split-texts.ts'

/** Ten levels of nested quotes or lists in one line. */
const deep = /^[ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])[ \t]*){10}/m
const maxMarks = 2_000
const maxBrackets = 3_000

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  // Loading an image would tell its server when and from where the text was read.
  img: ({ alt }) => <span className={classes.image}>[image{alt ? `: ${alt}` : ''}]</span>,
  // Only a task list has one, which nobody can tick here.
  input: ({ checked }) => (
    <input type="checkbox" checked={checked ?? false} disabled aria-label={checked ? 'Done' : 'To do'} />
  ),
  // Only a known name is one.
  mark: ({ children, node }) => {
    const { to, isOwn } = node?.properties ?? {}
    return typeof to === 'string' ? (
      <Link to={to}>{children}</Link>
    ) : (
      <span className={classes.name} data-own={isOwn === true || undefined}>
        {children}
      </span>
    )
  },
  pre: ({ children, node }) => (
    <div className={classes.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{children}</pre>
      <span className={classes.copy}>
        <CopyButton value={node ? textOf(node).trimEnd() : ''} what="code" />
      </span>
    </div>
  ),
  table: ({ children }) => (
    <div className={classes.table}>
      <table>{children}</table>
    </div>
  ),
}

type Plugin = ReturnType<typeof splitTexts> | undefined
type Props = { text: string; names?: Plugin; emoji?: Plugin }

/** Untrusted Markdown: no HTML, no remote images, links without a referrer. Text that would hang the page is shown as it is. */
export const Markdown = memo(function Markdown({ text, names, emoji }: Props) {
  return (
    <div className={classes.markdown} dir="auto">
      {isTooComplex(text) ? (
        <div className={classes.plain}>{text}</div>
      ) : (
        <ReactMarkdown
          remarkPlugins={[remarkGfm]}
          rehypePlugins={[names, emoji].filter((plugin) => plugin !== undefined)}
          components={components}
          skipHtml={false}
        >
          {text}
        </ReactMarkdown>
      )}
    </div>
  )
})

/** Text that takes a Markdown parser minutes, or nests deeper than a page can render. Nobody writes like that to be read. */
function isTooComplex(text: string): boolean {
  return deep.test(text) || count(text, /[*_~]+/g) > maxMarks || count(text, /\[/g) > maxBrackets
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

type Node = { value?: string; children?: Node[] }

function textOf({ value = '', children = [] }: Node): string {
  return value + children.map(textOf).join('')
}
