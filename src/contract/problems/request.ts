import { core, kind, type ProblemKind } from './kind.ts'

/** What can be wrong with a request. */
export const requestProblems = {
  'request/malformed': kind(
    400,
    1,
    'Malformed request',
    `${core}.MalformedJSONBody`,
    'Send well-formed JSON.',
  ),
  'request/bad-header': kind(400, 1, 'Bad header', `${core}.ValidationError`, 'Correct the header.'),
  'request/invalid': kind(
    422,
    1,
    'Validation error',
    `${core}.ValidationError`,
    'Correct the member or parameter that the message names.',
  ),
  'request/too-large': kind(
    413,
    1,
    'Request too large',
    `${core}.UploadedFileTooLarge`,
    'Send less at once, or raise the limit of the server.',
  ),
  'request/too-slow': kind(
    408,
    1,
    'Request too slow',
    `${core}.ValidationError`,
    'Send it over a faster connection, large files by tus in parts.',
  ),
  'request/method': kind(
    405,
    1,
    'Method not allowed',
    'pyramid.httpexceptions.HTTPMethodNotAllowed',
    'Use one of the methods that the Allow header lists.',
  ),
  'request/not-found': kind(
    404,
    1,
    'Page not found',
    'pyramid.httpexceptions.HTTPNotFound',
    'See /api/component/core/route for the paths there are.',
  ),
  'request/not-built': kind(
    501,
    1,
    'Not implemented',
    `${core}.NotConfigured`,
    'This version of the server does not offer it.',
  ),
  'request/in-flight': kind(
    409,
    1,
    'Request being done',
    `${core}.ValidationError`,
    'Send it again after the seconds of the Retry-After header.',
  ),
  'request/key-reused': kind(
    422,
    1,
    'Key used before',
    `${core}.ValidationError`,
    'Make up another key for each request.',
  ),
  'request/answer-lost': kind(
    409,
    1,
    'Answer not kept',
    `${core}.ValidationError`,
    'It was done: look for what it has made.',
  ),
  'request/aborted': kind(400, 1, 'Request aborted', `${core}.ValidationError`, 'Send the whole body.'),
} as const satisfies Record<string, ProblemKind>
