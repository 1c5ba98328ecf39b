import { Problem, type ProblemDetails } from '../core/problem.ts'
import { authProblems } from './problems/auth.ts'
import { clientProblems } from './problems/client.ts'
import { dataProblems } from './problems/data.ts'
import { externalProblems } from './problems/external.ts'
import { fileProblems } from './problems/file.ts'
import type { ProblemKind } from './problems/kind.ts'
import { machineProblems } from './problems/machine.ts'
import { manifestProblems } from './problems/manifest.ts'
import { pipelineProblems } from './problems/pipeline.ts'
import { planProblems } from './problems/plan.ts'
import { principalProblems } from './problems/principal.ts'
import { requestProblems } from './problems/request.ts'
import { resourceProblems } from './problems/resource.ts'
import { styleProblems } from './problems/style.ts'
import { uploadProblems } from './problems/upload.ts'

/** Every code that is thrown or reported, with its HTTP status, exit code and advice. */
export const problems = {
  ...requestProblems,
  ...authProblems,
  ...principalProblems,
  ...resourceProblems,
  ...dataProblems,
  ...fileProblems,
  ...uploadProblems,
  ...styleProblems,
  ...machineProblems,
  ...externalProblems,
  ...clientProblems,
  ...manifestProblems,
  ...planProblems,
  ...pipelineProblems,
} as const satisfies Record<string, ProblemKind>

/** A code of the table. */
export type ProblemCode = keyof typeof problems

/** Finds what a code means; undefined for codes of other programs. */
export function findProblemKind(code: string): ProblemKind | undefined {
  return Object.hasOwn(problems, code) ? problems[code as ProblemCode] : undefined
}

/** Builds a Problem with the status, exit code and, unless given, the advice of its code. */
export function problem(code: ProblemCode, message: string, details: ProblemDetails = {}): Problem {
  const { status, exit, advice } = problems[code]
  return new Problem(code, message, { status, exit, hint: advice, ...details })
}
