/** The engines on what llama.cpp's own server really said, replayed over HTTP: requests of the same shape, the same outcome. */
import { expect, test } from 'vitest'
import { playScene, readRecording, replayServer, scenes, shapeOf } from './exchanges.ts'

const recording = readRecording()

test('every scene is recorded', () => expect(Object.keys(recording.scenes)).toEqual(Object.keys(scenes)))

test.each(Object.entries(scenes))('%s', async (name, scene) => {
  const { exchanges, outcome } = recording.scenes[name] ?? { exchanges: [], outcome: null }
  await using server = await replayServer(exchanges, scene.lacks)
  expect(await playScene(scene, server.url, recording.model)).toEqual(outcome)
  const shapes = (all: readonly { to: string; request: unknown }[]) =>
    all.map(({ to, request }) => [to, shapeOf(request)])
  expect(shapes(server.asked)).toEqual(shapes(exchanges))
})
