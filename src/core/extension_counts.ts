import { countOf } from './count.ts'

/** Numbers of attachments and descriptions of features. */
export interface ExtensionCounts {
  readonly attachments: number
  readonly descriptions: number
}

/** Lists the numbers that are not 0, with their nouns: `2 attachments`, `1 description`. */
export function listExtensionCounts({ attachments, descriptions }: ExtensionCounts): string[] {
  const counts = Object.entries({ attachment: attachments, description: descriptions })
  return counts.flatMap(([noun, count]) => (count === 0 ? [] : [countOf(count, noun)]))
}
