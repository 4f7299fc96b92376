import { asError } from './as-error.ts'

type Attributes = Record<string, string | number | boolean>

/** Spans for a trace collector. Without an endpoint this does nothing and costs nothing. */
export type Tracing = AsyncDisposable & {
  span<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
}

const off: Tracing = {
  span: (_name, _attributes, work) => work(),
  [Symbol.asyncDispose]: async () => undefined,
}

/** Loads OpenTelemetry only if an endpoint is configured: it is large, and most installations have none. */
export async function openTracing(endpoint: string | null, version: string): Promise<Tracing> {
  if (!endpoint) return off
  const [
    { context, SpanStatusCode },
    { BatchSpanProcessor, TracerProvider },
    { resourceFromAttributes },
    exporters,
    hooks,
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/context-async-hooks'),
  ])
  const exporter = new exporters.OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'bellhop', 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable())
  const tracer = provider.getTracer('bellhop', version)
  return {
    span: (name, attributes, work) =>
      tracer.startActiveSpan(name, { attributes }, async (span) => {
        try {
          return await work()
        } catch (error) {
          span.setStatus({
            code: SpanStatusCode.ERROR,
            message: asError(error).message,
          })
          throw error
        } finally {
          span.end()
        }
      }),
    [Symbol.asyncDispose]: () => provider.shutdown(),
  }
}
