import type { Status } from '../catalog/status.ts'
import type { Load, OpenRecovery } from '../recovery.ts'
import { reasonOf } from '../request.ts'
import { isUndrawable } from './server_image.ts'

/** What loads of images need of the page. */
export interface ImageLoads {
  readonly status: Status
  readonly openRecovery: OpenRecovery
}

/** Loads of the images of a layer. */
export interface Loads {
  readonly load: Load
  /** Sets what is done when failed loads have succeeded. */
  onRecovered(redraw: () => void): void
}

interface LoadOptions extends ImageLoads {
  onUndrawable(reason: string): void
  /** An image cannot be loaded; returns whether it is not needed any more. */
  onFault?(error: unknown): boolean
}

/** Opens the loads of a layer, which are retried until the server says that it cannot draw the layer. */
export function openLoads(
  label: () => string,
  { status, openRecovery, onUndrawable, onFault }: LoadOptions,
): Loads {
  let redraw = () => {}
  let isLost = false
  const recovery = openRecovery(label, () => redraw())
  const attempt = async (run: () => Promise<void>) => {
    try {
      await status.track(run())
    } catch (error) {
      if (onFault?.(error)) return
      if (!isUndrawable(error)) throw error
      if (!isLost) onUndrawable(reasonOf(error))
      isLost = true
    }
  }
  return {
    load: (key, run, onDropped) => recovery.load(key, () => attempt(run), onDropped),
    onRecovered(action) {
      redraw = action
    },
  }
}
