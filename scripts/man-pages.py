#!/usr/bin/env python3
"""Writes the manual pages of `ostiary` from the help that the program itself dumps.

man-pages.py BINARY FOLDER
"""

import json
import subprocess
import sys
from pathlib import Path


def escaped(text):
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    text = "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in lines)
    return "".join(character if ord(character) < 128 else f"\\[u{ord(character):04X}]" for character in text)


def names(argument):
    forms = {"long": "--", "short": "-", "longWithSingleDash": "-"}
    return [forms[name["kind"]] + name["name"] for name in argument.get("names", [])]


def value(argument):
    return f"<{argument.get('valueName', 'value')}>"


def synopsis(argument):
    if argument["kind"] == "positional":
        text = value(argument)
    else:
        text = names(argument)[0] + (f" {value(argument)}" if argument["kind"] == "option" else "")
    if argument.get("isRepeating"):
        text += " ..."
    return f"[{text}]" if argument.get("isOptional") else text


def described(argument):
    if argument["kind"] == "positional":
        term = value(argument)
    else:
        term = ", ".join(names(argument)) + (f" {value(argument)}" if argument["kind"] == "option" else "")
    text = " ".join(filter(None, [argument.get("abstract"), argument.get("discussion")]))
    if argument.get("allValues"):
        text += f" Values: {', '.join(argument['allValues'])}."
    if argument.get("defaultValue") and argument["kind"] != "flag":
        text += f" Default: {argument['defaultValue']}."
    return f".TP\n\\fB{escaped(term)}\\fR\n{escaped(text) or '.br'}\n"


def sections(discussion):
    """The discussion's parts, each with its title; the first one has none."""
    title, lines = "DESCRIPTION", []
    for line in discussion.split("\n"):
        if line.isupper() and not line.startswith(" "):
            yield title, lines
            title, lines = line, []
        else:
            lines.append(line)
    yield title, lines


def page(command, path, version):
    name = "-".join(path)
    shown = [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]
    text = f'.TH {escaped(name.upper())} 1 "" "ostiary {version}" "Ostiary"\n'
    text += f".SH NAME\n{escaped(name)} \\- {escaped(command.get('abstract', '').rstrip('.'))}\n"
    text += f".SH SYNOPSIS\n\\fB{escaped(' '.join(path))}\\fR {escaped(' '.join(map(synopsis, shown)))}\n"
    for title, lines in sections(command.get("discussion", "")):
        body = "\n".join(lines).strip("\n")
        if body:
            text += f".SH {title}\n.nf\n{escaped(body)}\n.fi\n"
    if shown:
        text += ".SH OPTIONS\n" + "".join(map(described, shown))
    below = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
    if below:
        text += ".SH COMMANDS\n"
        for each in below:
            text += f".TP\n\\fB{escaped(name)}\\-{escaped(each['commandName'])}\\fR(1)\n{escaped(each.get('abstract', ''))}\n"
    return text


def pages(command, path, version):
    yield "-".join(path), page(command, path, version)
    for each in command.get("subcommands", []):
        if each["commandName"] != "help" and each.get("shouldDisplay", True):
            yield from pages(each, [*path, each["commandName"]], version)


def main():
    binary, folder = sys.argv[1], Path(sys.argv[2])
    def output(*arguments):
        return subprocess.run([binary, *arguments], check=True, capture_output=True, text=True).stdout
    version = output("--version").strip()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(json.loads(output("--experimental-dump-help"))["command"], ["ostiary"], version):
        (folder / f"{name}.1").write_text(text)


main()
