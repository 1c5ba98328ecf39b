import { type ProblemCode, problems } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import type { Pointer } from '../../core/pointer.ts'
import type { WantedResource } from '../../manifest/manifest.ts'

/** Creates an error at the block of a resource or record, with the advice of its code. */
export function issueAt(
  wanted: Pick<WantedResource, 'spanOf'>,
  code: ProblemCode,
  ...[message, pointer = '']: [message: string, pointer?: Pointer]
): Issue {
  const span = wanted.spanOf(pointer)
  return { code, message, severity: 'error', span, pointer, hint: problems[code].advice }
}
