import type { ProblemKind } from './kind.ts'

/** What can be wrong between client and server. */
export const clientProblems = {
  'http/unreachable': {
    title: 'Server unreachable',
    exit: 1,
    advice: 'Check the address and that the server runs.',
  },
  'http/timeout': {
    title: 'Server did not answer in time',
    exit: 1,
    advice: 'Try again, or raise the time limit.',
  },
  'http/unexpected': {
    title: 'Unexpected answer',
    exit: 1,
    advice: 'Check that the address is that of a resource service.',
  },
} as const satisfies Record<string, ProblemKind>
