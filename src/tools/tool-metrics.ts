import { Histogram, type Registry } from 'prom-client'

export type ToolMetrics = ReturnType<typeof registerToolMetrics>

export function registerToolMetrics(registry: Registry) {
  return {
    toolCalls: new Histogram({
      name: 'bellhop_tool_call_seconds',
      help: 'Time of a tool call, by outcome',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.25, 1, 5, 30],
      registers: [registry],
    }),
  }
}
