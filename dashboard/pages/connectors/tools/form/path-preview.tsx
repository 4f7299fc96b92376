import classes from '../path-preview.module.css'

/** The whole URL, with the parts that the agent fills in highlighted. */
export function PathPreview({ baseUrl, path }: { baseUrl: string; path: string }) {
  const base = baseUrl.replace(/\/+$/, '')
  const parts = `/${path.replace(/^\/+/, '')}`.split(/(\{[^{}]+\})/)
  return (
    <code className={classes.path}>
      {base}
      {parts.map((part, at) =>
        part.startsWith('{') ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts stand in the order of the path
          <mark key={at} className={classes.hole}>
            {part}
          </mark>
        ) : (
          part
        ),
      )}
    </code>
  )
}
