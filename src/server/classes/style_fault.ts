import { problem } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import { type Pointer, splitPointer } from '../../core/pointer.ts'
import type { Problem } from '../../core/problem.ts'
import type { ServerContext } from '../context.ts'

/** Returns the problem of an invalid style, with the member of the body and the line and column of every error. */
export function styleProblem(pointer: Pointer, errors: readonly Issue[]): Problem {
  const [first, ...more] = errors
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`
  const path = ['$', ...splitPointer(pointer)].join('.')
  return problem('style/invalid', `${first?.message} - at ${path}, ${first && place(first)}${others}`, {
    issues: errors,
    detail: errors.map((error) => `${place(error)}: ${error.message}`).join('\n'),
    data: {
      location: ['body', pointer],
      faults: errors.map(({ code, message, span }) => ({
        code,
        message,
        line: span?.line,
        column: span?.column,
      })),
    },
  })
}

const place = ({ span }: Issue) => `line ${span?.line ?? 1}, column ${span?.column ?? 1}`

/** Number of issues of a style that are logged. */
const maxLogged = 20

/** Logs the parts of a style that are not drawn, with line and column. */
export function logUndrawnParts(
  { log }: Pick<ServerContext, 'log'>,
  resourceId: number,
  issues: readonly Issue[],
): void {
  for (const { code, message, span } of issues.slice(0, maxLogged)) {
    const facts = { resource_id: resourceId, code, problem: message, line: span?.line, column: span?.column }
    log.warn(facts, 'part of a style is not supported by rendering')
  }
  if (issues.length > maxLogged)
    log.warn(
      { resource_id: resourceId, issues: issues.length },
      'more parts of a style are not supported by rendering',
    )
}
