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
  'external/database': kind(
    503,
    1,
    'Database elsewhere fails',
    `${core}.ExternalDatabaseError`,
    'Check the connection, and that this server may reach the database; then try again.',
  ),
  'external/table': kind(
    503,
    1,
    'Table elsewhere has changed',
    `${core}.ExternalDatabaseError`,
    'Mend the table, or write {"geodb_layer": {"fields": "update"}} to read its columns again.',
  ),
  'external/read-only': kind(
    422,
    1,
    'Table elsewhere cannot be written',
    `${core}.ValidationError`,
    'Give the login of the connection the right to write, or change the data where they are kept.',
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
