import type { Api } from '../../api/api.ts'
import type { SecretSource } from '../../manifest/manifest.ts'
import type { Change, Plan } from '../model/change.ts'
import type { ApplyEvent } from './outcome.ts'

/** Options of an apply. */
export interface ApplyOptions {
  readonly api: Api
  readonly plan: Plan
  /** Maximum number of concurrent requests. */
  readonly concurrency?: number
  /** Whether to apply in one transaction if the server supports it. */
  readonly atomic?: boolean
  /** Whether to skip stale changes and their dependents instead of failing. */
  readonly partial?: boolean
  /** Version of the manifest files, such as a git commit, for the journal. */
  readonly commit?: string | undefined
  /** Entry of the journal that this apply undoes. */
  readonly undoes?: number | undefined
  /** Entry of the journal that this apply belongs to. */
  readonly journal?: number | undefined
  /** Places of the changes in that entry. */
  readonly places?: ReadonlyMap<Change, number> | undefined
  /** Reads a password; without it, plans that send passwords fail. Throws a Problem. */
  readonly readSecret?: ((source: SecretSource) => Promise<string>) | undefined
  /** When aborted, running changes finish and no other changes start. */
  readonly signal?: AbortSignal | undefined
  /** When aborted, running requests are aborted too. */
  readonly breakOff?: AbortSignal | undefined
  readonly onEvent?: ((event: ApplyEvent) => void) | undefined
}
