import { core, type ProblemKind } from './kind.ts'

/** Problems with external services and databases, and with their stored credentials. Clients get the messages. */
export const externalProblems = {
  'external/unreachable': {
    title: 'Service unreachable',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalServiceError`,
    advice: 'Check the address, and that the server can reach it.',
  },
  'external/answer': {
    title: 'Unexpected response from a service',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalServiceError`,
    advice: 'Check the address, the version and the credentials.',
  },
  'external/database': {
    title: 'External database error',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalDatabaseError`,
    advice: 'Check the connection, and that the server can reach the database; then try again.',
  },
  'external/table': {
    title: 'External table has changed',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalDatabaseError`,
    advice: 'Restore the table, or send {"geodb_layer": {"fields": "update"}} to read its columns again.',
  },
  'external/query': {
    title: 'External table cannot be read',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalDatabaseError`,
    advice: 'Correct the data of the table, or the definition of the view, in the external database.',
  },
  'external/read-only': {
    title: 'External table is read-only',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice:
      'Grant write privileges to the user of the connection, or change the data in the external database.',
  },
  'external/refused': {
    title: 'Address not allowed',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice:
      'Use a public address, or ask the administrator to start the server with --allow-private-addresses.',
  },
  'secret/unreadable': {
    title: 'Secret cannot be read',
    exit: 1,
    status: 503,
    exception: `${core}.OperationalError`,
    advice: 'Start the server with the key that encrypted the secret, or set the secret again.',
  },
  'secret/bad-key': {
    title: 'Invalid key',
    exit: 3,
    status: 500,
    exception: `${core}.InternalServerError`,
    advice: 'Use 32 random bytes in base64, for example: openssl rand -base64 32.',
  },
} as const satisfies Record<string, ProblemKind>
