import fc from 'fast-check';
import { accentSchemes, checkAccent, contrastOf } from '../../../src/domain/accent.ts';

const colour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe("a shop's accent", () => {
  it('measures contrast as WCAG does', () => {
    expect(contrastOf('#000000', '#ffffff')).toBe(21);
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrastOf('#1d4ed8', '#ffffff')).toBeCloseTo(6.7, 1);
  });

  it.each(['', 'red', '#12', '#12345g', '1d4ed8', '#1d4ed8;', '#1d4ed80', 'url(#a)'])('rejects %j', (raw) => {
    expect(checkAccent(raw)).toEqual({ ok: false, reason: 'must be a colour such as #1d4ed8' });
  });

  it('is accepted when it is readable on white, and rejected with the nearest readable colour otherwise', () => {
    expect(checkAccent('#1D4ED8')).toEqual({ ok: true, accent: '#1d4ed8' });
    expect(checkAccent('#ffcc00')).toEqual({
      ok: false,
      reason: expect.stringMatching(/^has a contrast of 1\.5 to white, and 4\.5 is needed; .* #[0-9a-f]{6}$/),
    });
  });

  it('is suggested in a rejection such that it is always accepted, and no darker than necessary', () => {
    fc.assert(
      fc.property(colour, (raw) => {
        const checked = checkAccent(raw);
        if (checked.ok) return;
        const named = checked.reason.slice(-7);
        expect(checkAccent(named)).toEqual({ ok: true, accent: named });
        expect(contrastOf(named, '#ffffff')).toBeLessThan(4.75);
      }),
    );
  });

  it('is readable on the dark page for every colour, and unchanged on the light one', () => {
    fc.assert(
      fc.property(colour, (raw) => {
        const checked = checkAccent(raw);
        if (!checked.ok) return;
        const { light, dark } = accentSchemes(checked.accent);
        expect(light).toBe(checked.accent);
        expect(contrastOf(dark, '#161d27')).toBeGreaterThan(5.8);
        // Text on the accent is nearly black there.
        expect(contrastOf(dark, '#0b121c')).toBeGreaterThan(4.5);
      }),
    );
  });
});
