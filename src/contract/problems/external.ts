import { core, type ProblemKind } from './kind.ts'

/** What can be wrong with services elsewhere, and with the secrets they are asked with. Messages go to the client. */
export const externalProblems = {
  'external/unreachable': {
    title: 'Service unreachable',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalServiceError`,
    advice: 'Check the address, and that this server may reach it.',
  },
  'external/answer': {
    title: 'Unexpected answer of a service',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalServiceError`,
    advice: 'Check the address, the version and the login.',
  },
  'external/database': {
    title: 'Database elsewhere fails',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalDatabaseError`,
    advice: 'Check the connection, and that this server may reach the database; then try again.',
  },
  'external/table': {
    title: 'Table elsewhere has changed',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalDatabaseError`,
    advice: 'Mend the table, or write {"geodb_layer": {"fields": "update"}} to read its columns again.',
  },
  'external/read-only': {
    title: 'Table elsewhere cannot be written',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Give the login of the connection the right to write, or change the data where they are kept.',
  },
  'external/refused': {
    title: 'Address not allowed',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice:
      'Name a public address, or let who runs the server allow private ones: --allow-private-addresses.',
  },
  'secret/unreadable': {
    title: 'Secret cannot be read',
    exit: 1,
    status: 503,
    exception: `${core}.OperationalError`,
    advice: 'Start the server with the key it was written with, or write the secret again.',
  },
  'secret/bad-key': {
    title: 'Bad key',
    exit: 3,
    status: 500,
    exception: `${core}.InternalServerError`,
    advice: 'Give 32 random bytes in base64, as from: openssl rand -base64 32.',
  },
} as const satisfies Record<string, ProblemKind>
