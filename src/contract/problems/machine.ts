import { core, kind, type ProblemKind } from './kind.ts'

/** What can be wrong with the machine, its database and its files. */
export const machineProblems = {
  'gdal/missing': kind(
    501,
    1,
    'GDAL is not installed',
    `${core}.NotConfigured`,
    'Install the optional dependency gdal-async: npm install gdal-async.',
  ),
  'gdal/failed': kind(422, 1, 'GDAL failed', `${core}.ValidationError`, 'See the message of GDAL.'),
  'database/unavailable': kind(
    503,
    1,
    'Database unavailable',
    `${core}.OperationalError`,
    'Try again; if it stays so, look at the database.',
  ),
  'database/busy': kind(503, 1, 'Database busy', `${core}.OperationalError`, 'Try again.'),
  'database/locked': kind(
    503,
    1,
    'Data folder in use',
    `${core}.OperationalError`,
    'Stop the other process, or use another data folder.',
  ),
  'database/newer': kind(
    503,
    1,
    'Database is newer than the program',
    `${core}.OperationalError`,
    'Install the version of landform that the message names, or newer.',
  ),
  'database/timeout': kind(
    503,
    1,
    'Query took too long',
    `${core}.OperationalError`,
    'Ask for less at once.',
  ),
  'database/conflict': kind(409, 1, 'Conflicting change', `${core}.ForbiddenError`, 'Repeat the request.'),
  'database/constraint': kind(409, 1, 'Constraint violated', `${core}.ForbiddenError`, 'See the message.'),
  'database/query': kind(
    500,
    1,
    'Query failed',
    `${core}.InternalServerError`,
    'Report it with the request id.',
  ),
  'server/listen': kind(
    500,
    1,
    'Cannot listen',
    `${core}.InternalServerError`,
    'Choose another address with --listen.',
  ),
  'server/stopping': kind(503, 1, 'Server is stopping', `${core}.OperationalError`, 'Try again in a moment.'),
  'server/internal': kind(
    500,
    1,
    'Internal server error',
    `${core}.InternalServerError`,
    'Report it with the request id.',
  ),
  'files/missing': kind(
    500,
    1,
    'File missing',
    `${core}.InternalServerError`,
    'Restore the data folder from a backup.',
  ),
  'files/full': kind(503, 1, 'Disk full', `${core}.OperationalError`, 'Free some space in the data folder.'),
} as const satisfies Record<string, ProblemKind>
