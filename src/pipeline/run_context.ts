import type { Api } from '../api/api.ts'
import type { LoadProgress } from '../transfer/watch_load.ts'
import type { RunEvent } from './run_event.ts'

/** Environment of a run. */
export interface RunContext {
  readonly api: Api
  readonly tell: (event: RunEvent) => void
  readonly signal: AbortSignal
  /** Whether to run even if nothing has changed. */
  readonly force: boolean
  /** Keynames of layers that may lose data; none if absent. */
  readonly allowLoss?: ReadonlySet<string>
  /** Keynames of layers whose data are replaced even if a manifest loads them; none if absent. */
  readonly take?: ReadonlySet<string>
}

/** Reports the progress and the end of a step. */
export interface Step {
  progress(rows: number, bytes?: { readonly read: number; readonly total: number }): void
  /** Reports the progress of the server while it loads an upload. */
  loading(progress: LoadProgress): void
  done(): void
}

/** Reports the start of a step. */
export function startStep(context: RunContext, step: string, layer: string): Step {
  const start = performance.now()
  context.tell({ type: 'step', step, layer })
  return {
    progress: (rows, bytes) =>
      context.tell({
        type: 'progress',
        step,
        layer,
        rows,
        ...(bytes ? { bytes: bytes.read, totalBytes: bytes.total } : {}),
      }),
    loading: ({ step: doing, features: rows, total }) =>
      context.tell({
        type: 'progress',
        step,
        layer,
        rows,
        doing,
        ...(total === undefined ? {} : { totalRows: total }),
      }),
    done: () => context.tell({ type: 'step-done', step, layer, seconds: (performance.now() - start) / 1000 }),
  }
}
