import type { ProblemKind } from './kind.ts'

/** Problems between client and server. */
export const clientProblems = {
  'http/unreachable': {
    title: 'Server unreachable',
    exit: 1,
    advice: 'Check the address, and that the server is running.',
  },
  'http/timeout': {
    title: 'Server did not respond in time',
    exit: 1,
    advice: 'Try again, or raise the timeout.',
  },
  'http/unexpected': {
    title: 'Unexpected response',
    exit: 1,
    advice: 'Check that the address is the URL of a landform or NextGIS Web server.',
  },
} as const satisfies Record<string, ProblemKind>
