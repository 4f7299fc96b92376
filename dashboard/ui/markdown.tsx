import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { isTangled } from './is-tangled.ts'
import classes from './markdown.module.css'

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  // An image would tell its server that, when and from where the text was read.
  img: ({ alt }) => <span className={classes.image}>[image{alt ? `: ${alt}` : ''}]</span>,
  table: ({ children }) => (
    <div className={classes.table}>
      <table>{children}</table>
    </div>
  ),
}

/** Markdown of whoever wrote it: no HTML, no remote images, links that tell the other side nothing. What would stop the page stays as it is. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.markdown} dir="auto">
      {isTangled(text) ? (
        <div className={classes.plain}>{text}</div>
      ) : (
        <ReactMarkdown remarkPlugins={[remarkGfm]} components={components} skipHtml={false}>
          {text}
        </ReactMarkdown>
      )}
    </div>
  )
}
