import { WebmapItemSchema } from '../../contract/classes/webmap.ts'
import type { Annotations } from '../../contract/descriptor.ts'

type Word = keyof Annotations

const known = new Map<Word, WeakMap<object, boolean>>()

/** Reports whether a schema or a part of it has an annotation, so that callers can skip values without it. */
export function mentionsWord(schema: object, word: Word): boolean {
  const answers = known.get(word) ?? new WeakMap<object, boolean>()
  known.set(word, answers)
  const answer = answers.get(schema) ?? holdsWord(schema, word, new Set())
  answers.set(schema, answer)
  return answer
}

function holdsWord(part: unknown, word: Word, seen: Set<object>): boolean {
  if (part === null || typeof part !== 'object' || seen.has(part)) return false
  seen.add(part)
  if (Object.hasOwn(part, word)) return true
  const parts = Object.hasOwn(part, '$ref') ? [WebmapItemSchema] : Object.values(part)
  return parts.some((one) => holdsWord(one, word, seen))
}
