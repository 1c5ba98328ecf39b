import type { ProblemKind } from '../../src/contract/problems/kind.ts'
import { problems } from '../../src/contract/problems.ts'
import { formatCode, formatTable, joinParts } from './markdown.ts'

/** Prints the page of the problem codes. */
export function printProblems(): string {
  const areas = new Map<string, [string, ProblemKind][]>()
  for (const entry of Object.entries<ProblemKind>(problems)) {
    const [area = ''] = entry[0].split('/')
    areas.set(area, [...(areas.get(area) ?? []), entry])
  }
  return joinParts(
    '# Problem codes',
    'Every error has a stable code. Programs match on the code, never on the text. On the wire it is the member `code` of the error body; on the command line it precedes the message: `error auth/required: …`.',
    '*HTTP* is the status of a response with this code; a code without a status is reported by the command line only. *Exit* is the exit code of a command that ends with it; [commands.md](commands.md#exit-codes) explains the exit codes.',
    [...areas].map(([area, entries]) => `## ${area}\n\n${formatTable(headers, entries.map(printRow))}`),
  )
}

const headers = ['Code', 'HTTP', 'Exit', 'Meaning', 'Advice']

function printRow([code, kind]: readonly [string, ProblemKind]): string[] {
  const status = 'status' in kind ? String(kind.status) : ''
  return [formatCode(code), status, String(kind.exit), kind.title, kind.advice]
}
