import { Problem, type ProblemDetails } from '../core/problem.ts'
import { authProblems } from './problems/auth.ts'
import { catalogProblems } from './problems/catalog.ts'
import { clientProblems } from './problems/client.ts'
import { dataProblems } from './problems/data.ts'
import { externalProblems } from './problems/external.ts'
import { fileProblems } from './problems/file.ts'
import type { ProblemKind, WireProblem } from './problems/kind.ts'
import { lintProblems } from './problems/lint.ts'
import { machineProblems } from './problems/machine.ts'
import { manifestProblems } from './problems/manifest.ts'
import { pipelineProblems } from './problems/pipeline.ts'
import { planProblems } from './problems/plan.ts'
import { principalProblems } from './problems/principal.ts'
import { renderProblems } from './problems/render.ts'
import { requestProblems } from './problems/request.ts'
import { resourceProblems } from './problems/resource.ts'
import { styleProblems } from './problems/style.ts'
import { uploadProblems } from './problems/upload.ts'

/** Problem table: every code with its title, exit code and advice, and the HTTP status of codes in responses. */
export const problems = {
  ...renderProblems,
  ...requestProblems,
  ...authProblems,
  ...principalProblems,
  ...resourceProblems,
  ...catalogProblems,
  ...dataProblems,
  ...fileProblems,
  ...uploadProblems,
  ...styleProblems,
  ...machineProblems,
  ...externalProblems,
  ...clientProblems,
  ...manifestProblems,
  ...planProblems,
  ...lintProblems,
  ...pipelineProblems,
} as const satisfies Record<string, ProblemKind>

/** Problem code. */
export type ProblemCode = keyof typeof problems

/** Finds a problem by its code; undefined for codes of other programs. */
export function findProblemKind(code: string): ProblemKind | undefined {
  return Object.hasOwn(problems, code) ? problems[code as ProblemCode] : undefined
}

/** Creates a Problem with the status and exit code of its code, and its advice as the default hint. */
export function problem(code: ProblemCode, message: string, details: ProblemDetails = {}): Problem {
  const { status, exit, advice }: ProblemKind = problems[code]
  return new Problem(code, message, { status, exit, hint: advice, ...details })
}

const wireProblems = Object.entries<ProblemKind>(problems).filter(
  (entry): entry is [ProblemCode, WireProblem] => entry[1].status !== undefined,
)

/** Finds a problem of responses by its code; undefined for codes of other programs and of the toolkit. */
export function findWireProblem(code: string): WireProblem | undefined {
  const kind = findProblemKind(code)
  return kind?.status === undefined ? undefined : kind
}

const codeOfStatus = new Map(
  wireProblems.flatMap(([code, { status, meansStatus }]) => (meansStatus ? [[status, code] as const] : [])),
)

/** Finds the code of an HTTP status. */
export function findCodeOfStatus(status: number): ProblemCode | undefined {
  return codeOfStatus.get(status)
}

/** Last part of an exception's name, which is the same in all modules and versions. */
const shortName = (exception: string) => exception.split('.').at(-1) ?? ''

const codesOfException = Map.groupBy(wireProblems, ([, { exception }]) => shortName(exception))

/** Finds the code of an exception of another server; undefined if it is ambiguous. */
export function findCodeOfException(exception: string): ProblemCode | undefined {
  const found = codesOfException.get(shortName(exception)) ?? []
  const [code] = (found.length > 1 ? found.find(([, kind]) => kind.meansException) : found[0]) ?? []
  return code
}
