/** What a code means, wherever it turns up. */
export interface ProblemKind {
  /** HTTP status of an answer that carries it. */
  readonly status: number
  /** Exit code of the command line: 1 failed, 3 input invalid, 4 over the quarantine limit, 130 interrupted. */
  readonly exit: 1 | 3 | 4 | 130
  /** Short title for people. */
  readonly title: string
  /** Name of the original API's exception, for clients that match on it. */
  readonly exception: string
  /** What to do about it. */
  readonly advice: string
}

/** Where the original API keeps its general exceptions. */
export const core = 'nextgisweb.core.exception'

/** Where the original API keeps its exceptions about resources. */
export const resource = 'nextgisweb.resource.exception'

/** Writes one row of the table: status, exit code, title, exception, advice. */
export function kind(...[status, exit, title, exception, advice]: KindRow): ProblemKind {
  return { status, exit, title, exception, advice }
}

type KindRow = [status: number, exit: ProblemKind['exit'], title: string, exception: string, advice: string]
