type Options = {
  /** After so long without a byte the call is given up. */
  silenceMs: number
  /** Called when it has been silent for half of that, with the time since when, and with null when it is heard again. */
  onSilent(since: Date | null): void
  now: () => Date
}

type SilenceWatch = Disposable & { heard(): void; signal: AbortSignal }

/** Tells a model that works from one that hangs: whoever says nothing for long is reported first and then given up. */
export function watchSilence({ silenceMs, onSilent, now }: Options): SilenceWatch {
  const givenUp = new AbortController()
  let since = now()
  let isReported = false
  const report = () => {
    isReported = true
    onSilent(since)
    timer = setTimeout(giveUp, silenceMs / 2)
  }
  const giveUp = () => givenUp.abort(new ModelSilent(silenceMs))
  let timer = setTimeout(report, silenceMs / 2)
  return {
    signal: givenUp.signal,
    heard() {
      clearTimeout(timer)
      since = now()
      timer = setTimeout(report, silenceMs / 2)
      if (isReported) onSilent(null)
      isReported = false
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

class ModelSilent extends Error {
  constructor(silenceMs: number) {
    super(
      `The model sent nothing for ${silenceMs / 1000} s, so the call was given up (Settings → Limits, Longest silence).`,
    )
    this.name = 'ModelSilent'
  }
}
