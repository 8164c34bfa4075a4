export function idsOf(title: string): string[];
export function titlesOf(source: string): string[];
export function filesBelow(directory: string, pattern: RegExp): string[];
export function sectionsOf(path: string): { heading: string; ids: string[]; anchor: string }[];
