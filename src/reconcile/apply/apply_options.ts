import type { Api } from '../../api/api.ts'
import type { Plan } from '../model/change.ts'
import type { ApplyEvent } from './outcome.ts'

/** How a plan is applied. */
export interface ApplyOptions {
  readonly api: Api
  readonly plan: Plan
  /** Most requests at once. */
  readonly concurrency?: number
  /** False sends request by request even where the server takes all changes at once. */
  readonly atomic?: boolean
  /** Leaves out what somebody else has changed since the plan was made, with what depends on it, and does the rest. */
  readonly partial?: boolean
  /** Once aborted, running changes finish and no further ones start. */
  readonly signal?: AbortSignal | undefined
  /** Once aborted, running requests are broken off too. */
  readonly breakOff?: AbortSignal | undefined
  readonly onEvent?: ((event: ApplyEvent) => void) | undefined
}
