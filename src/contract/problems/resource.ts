import { core, kind, type ProblemKind, resource } from './kind.ts'

/** What can be wrong with resources. */
export const resourceProblems = {
  'resource/not-found': kind(404, 1, 'Resource not found', `${resource}.ResourceNotFound`, 'Check the id.'),
  'resource/hierarchy': kind(
    422,
    1,
    'Hierarchy error',
    `${resource}.HierarchyError`,
    'Choose another parent.',
  ),
  'resource/name-taken': kind(
    422,
    1,
    'Display name is not unique',
    `${resource}.DisplayNameNotUnique`,
    'Choose another display name, or another parent.',
  ),
  'resource/key-taken': kind(
    422,
    1,
    'Key name is not unique',
    `${core}.ValidationError`,
    'Choose another keyname; it may belong to a resource you cannot see.',
  ),
  'resource/class-disabled': kind(
    501,
    1,
    'Class not implemented',
    `${resource}.ResourceDisabled`,
    'This version of the server does not offer the class.',
  ),
  'resource/interface': kind(
    422,
    1,
    'Interface not supported',
    `${resource}.ResourceInterfaceNotSupported`,
    'Name a resource that offers it.',
  ),
  'resource/referenced': kind(
    409,
    1,
    'Resource is referenced',
    `${core}.ForbiddenError`,
    'Change or delete the referrers first.',
  ),
  'resource/protected': kind(
    409,
    1,
    'Resource is protected',
    `${core}.ForbiddenError`,
    'Remove the resmeta item landform.protect first.',
  ),
  'resource/stale': kind(
    412,
    1,
    'Resource has changed',
    `${core}.ForbiddenError`,
    'Read the resource again and repeat the change.',
  ),
} as const satisfies Record<string, ProblemKind>
