import { resolve } from 'node:path'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { type CapturePath, writeCapture } from '../../reconcile/capture/capture_file.ts'
import { captureServer } from '../../reconcile/capture/capture_server.ts'
import { readsAll } from '../../reconcile/model/actual_tree.ts'
import { liveReader } from '../../reconcile/plan/plan_reader.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { loadGoodManifest } from '../load_manifest.ts'
import { serverOptions } from '../options.ts'
import { adviseLogin } from '../principals.ts'
import { showBytes } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'

interface CaptureSettings {
  readonly paths: readonly string[]
  readonly server: ServerSettings
  readonly out: CapturePath
  readonly countsValues: boolean
}

async function runCapture(settings: CaptureSettings, terminal: Terminal): Promise<number> {
  const { paths, out, countsValues } = settings
  const { manifest } = paths.length === 0 ? {} : await loadGoodManifest(paths, terminal)
  const api = await connect(settings.server, terminal)
  try {
    const reader = liveReader(api, terminal.interrupt)
    const capture = await captureServer({ reader, manifest, countsValues, now: new Date() })
    const sizeBytes = await writeCapture(out, capture)
    writeLine(
      terminal.out,
      `${out.shownPath}: ${countOf(capture.resources.length, 'resource')} of ${api.url} (${showBytes(sizeBytes)})`,
    )
    if (!readsAll(capture.head) && paths.length === 0)
      writeLine(
        terminal.err,
        'warning: this account cannot read all resources; name the manifests to plan, so that the capture tells which of their resources exist',
      )
    return 0
  } catch (error) {
    throw await adviseLogin(error, settings.server, terminal)
  } finally {
    await api.close()
  }
}

/** The command `capture`. */
export const captureCommand: CommandSpec = {
  name: 'capture',
  summary: 'save what plans read from a server, to plan without it',
  notes: [
    'A capture has the resources, rules, users with their groups, and numbers of features and values that the account can read, and no passwords or other secrets. landform plan --from FILE plans against it, without a connection.',
    'Name the manifests to plan if they have features: with descriptions and attachments, which are captured for their layers only, or if the account cannot read all resources.',
  ],
  examples: [
    'landform capture --out world.capture',
    'landform capture manifests --out world.capture   # with descriptions and attachments of features',
    'landform plan --from world.capture',
  ],
  declare: (command) =>
    serverOptions(command.argument('[paths...]', 'manifests to plan'))
      .option('--out <file>', 'file to write; an existing capture is replaced')
      .option('--no-values', 'do not count the values of fields, which takes a request each'),
  run: ({ arguments: [paths], options }, terminal) => {
    if (typeof options.out !== 'string') throw problem('usage/bad-argument', 'Name the file with --out.')
    return runCapture(
      {
        paths: (paths ?? []) as readonly string[],
        server: options as ServerSettings,
        out: { path: resolve(terminal.cwd, options.out), shownPath: options.out },
        countsValues: options.values !== false,
      },
      terminal,
    )
  },
}
