/** RFC 7240: the seconds of `Prefer: wait=10`, possibly among other preferences; null without it. */
export function preferredWait(prefer: string | null): number | null {
  const seconds = prefer?.match(/(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i)?.[1]
  return seconds === undefined ? null : Number(seconds)
}
