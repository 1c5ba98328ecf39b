import type { Api } from '../api/api.ts'
import type { LoadProgress } from '../transfer/watch_load.ts'
import type { RunEvent } from './run_event.ts'

/** What a run works with. */
export interface RunContext {
  readonly api: Api
  readonly tell: (event: RunEvent) => void
  readonly signal: AbortSignal
  /** Does the work even where nothing seems to have changed. */
  readonly force: boolean
  /** Keynames of layers that may lose data; none where absent. */
  readonly allowLoss?: ReadonlySet<string>
  /** Keynames of layers whose data are replaced even if a manifest loads them; none where absent. */
  readonly take?: ReadonlySet<string>
}

/** Tells when a step of a run starts, how far it is and when it is done. */
export interface Step {
  progress(rows: number, bytes?: { readonly read: number; readonly total: number }): void
  /** Tells how far the server is with reading an upload. */
  loading(progress: LoadProgress): void
  done(): void
}

/** Starts a step of a run. */
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
