import { problem } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import { type Pointer, splitPointer } from '../../core/pointer.ts'
import type { Problem } from '../../core/problem.ts'

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
