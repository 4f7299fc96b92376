import classes from './method-badge.module.css'

export function MethodBadge({ method }: { method: string }) {
  return <code className={classes.method}>{method}</code>
}
