import { problem } from '../../contract/problems.ts'
import type { Validator } from '../../contract/schema/fault.ts'
import { isSecretName } from '../../contract/secrets.ts'
import { type Pointer, splitPointer } from '../../core/pointer.ts'
import type { Problem } from '../../core/problem.ts'

/** Creates the error for an invalid value at a location of the request body. */
export function invalidAt(pointer: Pointer, message: string, hint?: string): Problem {
  const path = ['$', ...splitPointer(pointer)].join('.')
  return problem('request/invalid', `${message} - at ${path}`, {
    data: { location: ['body', pointer] },
    ...(hint === undefined ? {} : { hint }),
  })
}

/**
 * Checks a body against its schema.
 *
 * @throws {Problem} request/invalid, with the JSON path of the first issue
 */
export function checkValue(validate: Validator, body: unknown): void {
  const [fault] = validate(body, (pointer, part) =>
    isSecretName(splitPointer(pointer).at(-1) ?? '') ? '***' : part,
  )
  if (fault !== undefined) throw invalidAt(fault.pointer, fault.message, fault.hint)
}
