import { core, kind, type ProblemKind } from './kind.ts'

/** What can be wrong between client and server. */
export const clientProblems = {
  'http/unreachable': kind(
    503,
    1,
    'Server unreachable',
    `${core}.ExternalServiceError`,
    'Check the address and that the server runs.',
  ),
  'http/timeout': kind(
    503,
    1,
    'Server did not answer in time',
    `${core}.ExternalServiceError`,
    'Try again, or raise the time limit.',
  ),
  'http/unexpected': kind(
    503,
    1,
    'Unexpected answer',
    `${core}.ExternalServiceError`,
    'Check that the address is that of a resource service.',
  ),
} as const satisfies Record<string, ProblemKind>
