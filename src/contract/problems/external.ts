import { core, kind, type ProblemKind } from './kind.ts'

/** What can be wrong with services elsewhere, and with the secrets they are asked with. Messages go to the client. */
export const externalProblems = {
  'external/unreachable': kind(
    503,
    1,
    'Service unreachable',
    `${core}.ExternalServiceError`,
    'Check the address, and that this server may reach it.',
  ),
  'external/answer': kind(
    503,
    1,
    'Unexpected answer of a service',
    `${core}.ExternalServiceError`,
    'Check the address, the version and the login.',
  ),
  'external/refused': kind(
    422,
    1,
    'Address not allowed',
    `${core}.ValidationError`,
    'Name a public address, or let who runs the server allow private ones: --allow-private-addresses.',
  ),
  'secret/unreadable': kind(
    503,
    1,
    'Secret cannot be read',
    `${core}.OperationalError`,
    'Start the server with the key it was written with, or write the secret again.',
  ),
  'secret/bad-key': kind(
    500,
    3,
    'Bad key',
    `${core}.InternalServerError`,
    'Give 32 random bytes in base64, as from: openssl rand -base64 32.',
  ),
} as const satisfies Record<string, ProblemKind>
