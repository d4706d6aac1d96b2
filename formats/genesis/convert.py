# SPDX-License-Identifier: GPL-3.0-or-later
"""From the editor's levels to the compiler's, and back.

`to_map` does what the editor does when it exports: cuts and hollows are carved, cameras and editor settings are left
out, moving brushes are put where their motion begins. `to_3dt` can only make brushes of brushes: what was carved stays.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .. import matrices
from ..arrays import Floats, Indices, Singles
from ..binary import FormatError
from ..convex import within
from ..counting import number_of
from ..steps import Steps, Stepwise, quietly
from . import brushes as geometry
from . import csg, textures, typedefs
from .editor_level import (
    IDENTITY,
    PLACELESS,
    POINT,
    SKY_SIDES,
    EditorBrush,
    EditorEntity,
    EditorFace,
    EditorModel,
    Level3dt,
    Sky,
    SkyFace,
    new_level,
)
from .entities import CLASSNAME, MODEL, NAME, ORIGIN, Brush, Entity
from .map_file import HAS_MOTION, MapLevel
from .motion import PATH_NAME, Motion
from .records import (
    FACE,
    WORLD_BOUND,
    BrushFlag,
    EditorBrushFlag,
    EditorFaceFlag,
    FaceArray,
    brush_flags_from_editor,
    brush_flags_to_editor,
    face_flags_from_editor,
    face_flags_to_editor,
    texture_field,
    texture_names,
)
from .text import fixed
from .typedefs import NULL, TypeDef
from .upgrade import upgraded
from .windings import planes_of

EDITOR_PATH_NAME = "PathInfo"  # of the only path of a model's motion in a `.3dt`
CAMERA = "Camera"
ENTITY_HIDDEN = 4  # among an editor entity's flags
INT_BOUND = 2.0**31
SAME_TIME = 1e-4  # seconds: keys nearer to a time than that are at it

_LOCKED = int(EditorFaceFlag.TEXTURELOCKED)


@Stepwise
def to_map(level: Level3dt, types: Sequence[TypeDef] = typedefs.BUILTIN) -> Steps[tuple[MapLevel, list[str]]]:
    """The level as the editor gives it to the compiler; and what was left out, in words.

    `types`: the classes of entities, in the order of their declaration (the editor's own, then the game's headers). A
    key that its class does not define is left out, as the game would not load the level; so is a reference to nothing.
    A key in another case than its class has it, which the editor leaves out too, gets the class's spelling. Entities of
    classes that are not among `types` keep all keys, and their place as `origin`. Raises FormatError for what a `.map`
    cannot hold.
    """
    return (yield from quietly(_to_map(level, types)))  # hostile floats


def _to_map(level: Level3dt, types: Sequence[TypeDef]) -> Steps[tuple[MapLevel, list[str]]]:
    level = upgraded(level)
    suppress, detail = level.is_set("SuppressHidden"), level.is_set("VisDetail")
    models = sorted(level.models, key=lambda model: model.model_id)
    parts: dict[int, list[csg.CsgPiece]] = {model.model_id: [] for model in models}
    parts[0] = []
    left_out = []
    for piece in (yield from csg.carved.steps(level)):
        if suppress and piece.flags & int(EditorBrushFlag.HIDDEN):
            left_out.append(f"hidden brush {piece.brush.name!r}")
        elif piece.brush.model_id in parts:
            parts[piece.brush.model_id].append(piece)
        else:
            left_out.append(f"brush {piece.brush.name!r} of model {piece.brush.model_id}, which there is not")
    yield
    result = MapLevel([_world(level, _brushes(parts[0], detail, None))])
    for model in models:
        yield
        result.entities.append(_model(model, _brushes(parts[model.model_id], detail, _pose(model))))
    result.entities += _points(level, types, suppress, left_out)
    result.entities += typedefs.entities(types)
    return result, left_out


def _world(level: Level3dt, brushes: list[Brush]) -> Entity:
    sky = level.sky or Sky()
    pairs = [
        ("TextureLib", level.texture_library),
        ("SkyAxis", " ".join(map(fixed, sky.axis))),
        ("SkyRotation", fixed(sky.speed)),
        ("SkyDrawScale", fixed(sky.scale)),
    ]
    sides = zip(SKY_SIDES, sky.faces, strict=False)
    pairs += [(f"Sky{side}", face.texture) for side, face in sides if face.apply and face.texture]
    return Entity(pairs, brushes)


def _model(model: EditorModel, brushes: list[Brush]) -> Entity:
    pairs = [(CLASSNAME, MODEL), (NAME, model.name), (ORIGIN, " ".join(map(fixed, model.origin)))]
    entity = Entity(pairs, brushes)
    path = model.motion.paths[0] if model.motion is not None and model.motion.paths else None
    if model.motion is not None and path is not None and path.translation and len(path.translation.times) > 1:
        entity.flags = HAS_MOTION
        entity.motion = _renamed(model.motion, PATH_NAME)
    return entity


def _renamed(motion: Motion, name: str) -> Motion:
    """A motion of the first path alone, under another name."""
    return replace(motion, paths=motion.paths[:1], names=[name], checksum=None, binary=False, source=None)


def _pose(model: EditorModel) -> Floats | None:
    """What moves a model's brushes, float64[3, 4], from the key that they stand at to the first; None if they stay."""
    if model.motion is None or not model.motion.paths:
        return None
    path = model.motion.paths[0]
    rotation, translation = path.rotation, path.translation
    if rotation is None or translation is None or len(rotation.times) != len(translation.times):
        return None

    def key(time: float) -> Floats | None:
        at = np.flatnonzero(np.abs(rotation.times - time) < SAME_TIME)
        return _matrix(rotation.values[at[0]], translation.values[at[0]]) if len(at) else None

    start, now = key(0.0), key(model.key_time)
    if start is None or now is None or np.array_equal(start, now):
        return None
    own = np.eye(4)
    own[:3, :3] = np.reshape(model.transform[:9], (3, 3))
    own[:3, 3] = model.transform[9:]
    moved: Floats = (own @ start @ matrices.inverse(own @ now))[:3]
    return moved


def _matrix(quaternion: Floats, place: Floats) -> Floats:
    w, x, y, z = quaternion
    matrix = np.eye(4)
    matrix[:3, :3] = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    matrix[:3, 3] = place
    return matrix


def _brushes(pieces: list[csg.CsgPiece], vis_detail: bool, pose: Floats | None) -> list[Brush]:
    """Pieces as brushes of a `.map`. `vis_detail`: details hide what is behind them, too."""
    sources = [face for piece in pieces for face, _ in piece.faces]
    corners = [points for piece in pieces for _, points in piece.faces]
    if pose is not None:
        corners = [(points @ pose[:, :3].T + pose[:, 3]).astype(np.float32) for points in corners]
    faces = _faces(sources, corners, pose)
    result = []
    start = 0
    for piece in pieces:
        flags = brush_flags_from_editor(piece.flags & ~int(EditorBrushFlag.TRANSLUCENT))
        if vis_detail:
            flags &= ~int(BrushFlag.DETAIL)
        result.append(Brush(flags, faces[start : start + len(piece.faces)]))
        start += len(piece.faces)
    return result


def _faces(sources: list[EditorFace], corners: list[Singles], pose: Floats | None) -> FaceArray:
    """Records of FACE: planes of the corners, and textures laid on as the editor does, rounding where it does."""
    faces = np.zeros(len(sources), FACE)
    if not sources:
        return faces
    planes, _ = planes_of(*_padded(corners))
    faces["normal"], faces["dist"] = planes.normals, planes.dists
    faces["flags"] = [face_flags_from_editor(source.flags) for source in sources]
    faces["mip_map_bias"] = [source.mip_map_bias for source in sources]
    faces["alpha"] = [source.translucency for source in sources]
    faces["face_light"] = [source.light for source in sources]
    faces["reflective_scale"] = [source.reflectivity for source in sources]
    names = {name: texture_field(_texture(name)) for name in {source.texture for source in sources}}
    faces["tex_name"] = np.frombuffer(b"".join(names[source.texture] for source in sources), "V32")

    rotate = np.array([source.rotate for source in sources])
    scale = np.array([source.scale for source in sources], np.float32)
    scale[scale == 0] = 1
    light_scale = np.array([source.light_scale for source in sources], np.float32)
    shift = np.array([source.shift for source in sources], np.float32)
    vectors = textures.world_axes(faces["normal"], rotate, 1.0)
    for number, source in enumerate(sources):
        if source.flags & _LOCKED:
            u, v = _locked_axes(source, planes.normals[number], pose)
            vectors[0][number], vectors[1][number] = u, v
            shift[number] = _locked_shift(source, u, v)
    draw_scale = scale / light_scale
    for axis, vector in enumerate(vectors):
        texel = vector * (1 / scale[:, axis])[:, None]
        faces["uv"[axis] + "_vec"] = texel * draw_scale[:, axis][:, None]
    faces["draw_scale_x"], faces["draw_scale_y"] = draw_scale.T
    faces["offset_x"], faces["offset_y"] = shift.T
    return faces


def _texture(name: str) -> str:
    """A texture's name as the editor has it: it cuts off what is longer."""
    return name[:15]


def _locked_axes(face: EditorFace, normal: Singles, pose: Floats | None) -> tuple[Floats, Floats]:
    """The axes of a texture-locked face: the columns of its own matrix, turned by the texture's angle."""
    matrix = np.reshape(face.transform[:9], (3, 3)) if face.transform != IDENTITY else _face_angle(normal)
    if pose is not None:
        matrix = pose[:, :3] @ matrix
    angle = math.radians(-face.rotate)
    sine, cosine = math.sin(angle), math.cos(angle)
    return matrix[:, 0] * cosine + matrix[:, 1] * sine, matrix[:, 1] * cosine - matrix[:, 0] * sine


def _locked_shift(face: EditorFace, u: Floats, v: Floats) -> tuple[float, float]:
    """The offsets of a texture-locked face: its texture begins at its position."""
    place = np.array(face.position)
    across, down = (np.float32(one or 1.0) for one in face.scale)
    return float(np.float32(face.shift[0]) - u / across @ place), float(np.float32(face.shift[1]) - v / down @ place)


def lay_locked(faces: FaceArray, sources: Sequence[EditorFace]) -> None:
    """Set the texture vectors of those records [n] whose face, of the n `sources`, is texture-locked.

    Such a texture has axes and a place of its own (since 1.32), or lies along its face; the records have their normals.
    From the editor's code (genesis.md §1.7): no real level with such faces was found.
    """
    for number, source in enumerate(sources):
        if source.flags & _LOCKED:
            u, v = _locked_axes(source, faces["normal"][number], None)
            light = np.array(source.light_scale, np.float32)
            with np.errstate(all="ignore"):
                faces["u_vec"][number], faces["v_vec"][number] = u / light[0], v / light[1]
            faces["offset_x"][number], faces["offset_y"][number] = _locked_shift(source, u, v)


def lock(
    face: np.void, light_scale: Sequence[float], scale: Sequence[float], shift: Sequence[int]
) -> tuple[float, tuple[float, ...], tuple[float, float, float]]:
    """What makes a texture-locked face (since 1.32) of a record of FACE: its turn in degrees, its axes and its place.

    The inverse of :func:`lay_locked`, for any vectors, turned and skewed ones too. The rest of the editor's parameters
    is given: `textures.parameters`, with whole shifts; what is left of those goes into the place.
    """
    u, v = (face[name].astype(np.float64) * one for name, one in zip(("u_vec", "v_vec"), light_scale, strict=True))
    rest = [whole - float(face[name]) for whole, name in zip(shift, ("offset_x", "offset_y"), strict=True)]
    wanted = np.array(rest) * [one or 1.0 for one in scale]
    place = np.linalg.lstsq(np.array([u, v]), wanted, rcond=None)[0]
    transform = (*np.column_stack([u, v, np.cross(u, v)]).ravel().tolist(), 0.0, 0.0, 0.0)
    rotate = 0.0
    if transform == IDENTITY:  # that says that the face has no axes of its own: the same ones, a quarter turn further
        rotate = -90.0
        transform = (*np.column_stack([-v, u, np.cross(u, v)]).ravel().tolist(), 0.0, 0.0, 0.0)
    x, y, z = (float(one) + 0.0 for one in place)
    return rotate, tuple(one + 0.0 for one in transform), (x, y, z)


def _face_angle(normal: Singles) -> Floats:
    """The matrix that a face without its own gets: it turns the face into the xy plane (editor, before 1.32)."""
    down = normal.astype(np.float64)
    x, y, z = np.abs(down)
    dominant = (0 if x > z else 2) if x > y else (1 if y > z else 2)
    if down[dominant] > 0:
        down = -down
    axis = np.array([-down[1], down[0], 0.0])  # of z and the normal
    angle = -math.acos(min(max(float(down[2]), -1.0), 1.0))
    length = float(np.linalg.norm(axis))
    axis = axis / length if length else np.array([1.0, 0.0, 0.0])
    half = angle / 2
    return _matrix(np.array([math.cos(half), *(math.sin(half) * axis)]), np.zeros(3))[:3, :3]


def _points(level: Level3dt, types: Sequence[TypeDef], suppress: bool, left_out: list[str]) -> list[Entity]:
    """The point entities that the game is to know, with the keys of their classes."""
    classes = {each.name: each for each in types}
    names = {entity.name.lower() for entity in level.entities if entity.classname != CAMERA}
    models = {model.name.lower() for model in level.models}
    result = []
    for entity in level.entities:
        if entity.classname == CAMERA:
            continue
        if suppress and entity.flags & ENTITY_HIDDEN:
            left_out.append(f"hidden entity {entity.name!r}")
            continue
        known = classes.get(entity.classname)
        made = Entity(_merged(entity.pairs))
        if known is not None:
            if known.origin:
                made.set(known.origin, " ".join(str(int(value)) for value in entity.place))
            known.spell(made)
            made.pairs = [pair for pair in made.pairs if _is_valid(pair, known, names, models)]
            made.pairs = [(key, _boolean(value, known, key)) for key, value in made.pairs]
        else:
            made.pairs = [pair for pair in made.pairs if pair[1] != NULL]
            if ORIGIN not in made and any(entity.place):
                made.set(ORIGIN, " ".join(str(int(value)) for value in entity.place))
        for key, value in entity.pairs:
            if value != NULL and key not in made:
                left_out.append(f"{key} {value!r} of entity {entity.name!r}")
        result.append(made)
    return result


def _merged(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each key once, whatever its case, as the editor reads them: where it stands first, with the last value."""
    found: dict[str, tuple[str, str]] = {}
    for key, value in pairs:
        found[key.lower()] = (found.get(key.lower(), (key, ""))[0], value)
    return list(found.values())


def _is_valid(pair: tuple[str, str], known: TypeDef, names: set[str], models: set[str]) -> bool:
    """Whether the game can make something of a key: its class has it, and what it refers to is there."""
    key, value = pair
    if key in (CLASSNAME, NAME):
        return True
    found = next((each for each in known.fields if each.name == key), None)
    if found is None:
        return False
    if found.type == "model":
        return value.lower() in models
    return found.type in typedefs.BASIC or value.lower() in names


def _boolean(value: str, known: TypeDef, key: str) -> str:
    """Truth values as numbers."""
    found = known.field(key)
    return str(int(value in ("True", "1"))) if found is not None and found.boolean else value


# --------------------------------------------------------------------------------------------------------- the way back


def to_3dt(level: MapLevel) -> tuple[Level3dt, list[str]]:
    """The level as the editor can open it: leaf brushes, models with their motions, entities; and what was left out.

    It is of version 1.31 if its textures lie as the editor lays them, else of 1.32, which can hold any. Definitions of
    classes are left out: the editor has them from the game's headers.
    """
    with np.errstate(all="ignore"):  # hostile floats
        return _to_3dt(level)


def _to_3dt(level: MapLevel) -> tuple[Level3dt, list[str]]:
    result = new_level()
    left_out: list[str] = []
    world = level.world
    if world is not None:
        result.texture_library = world.get("TextureLib") or ""
        result.sky = _sky(world)
        result.brushes += _editor_brushes(world, 0, "World", left_out)
    for number, entity in enumerate(level.models, 1):
        name = entity.name or f"Model{number}"
        result.brushes += _editor_brushes(entity, number, name, left_out)
        motion = _renamed(entity.motion, EDITOR_PATH_NAME) if entity.motion is not None else None
        transform = (*IDENTITY[:9], *(entity.origin or (0.0, 0.0, 0.0)))
        result.models.append(EditorModel(name, number, 0.0, transform, motion))
    for entity in level.points:
        x, y, z = map(float, map(int, entity.origin or (0.0, 0.0, 0.0)))
        style = PLACELESS if entity.origin is None else POINT
        result.entities.append(EditorEntity(list(entity.pairs), style, (x, y, z)))
        if entity.brushes:
            left_out.append(
                f"{number_of(len(entity.brushes), 'brushes')} of entity {entity.name or entity.classname!r}"
            )
    if any(face.flags & EditorFaceFlag.TEXTURELOCKED for brush in result.leaves() for face in brush.faces):
        result.version = (1, 32)
    return result, left_out


def _sky(world: Entity) -> Sky:
    sky = Sky([SkyFace(int(f"Sky{side}" in world), world.get(f"Sky{side}") or "") for side in SKY_SIDES])
    axis = (world.get("SkyAxis") or "").split()
    try:
        if len(axis) == 3:
            x, y, z = map(float, axis)
            sky.axis = (x, y, z)
        sky.speed = float(world.get("SkyRotation") or sky.speed)
        sky.scale = float(world.get("SkyDrawScale") or sky.scale)
    except ValueError as error:
        raise FormatError(str(error), "the world's sky") from None
    return sky


def _editor_brushes(entity: Entity, model_id: int, name: str, left_out: list[str]) -> list[EditorBrush]:
    counts = [len(brush.faces) for brush in entity.brushes]
    if not counts:
        return []
    faces = np.concatenate([brush.faces for brush in entity.brushes])
    rings = _rings(geometry.polygons(faces, counts), counts)
    normals = _written_normals(rings)
    settings = textures.parameters(faces, normals)
    settings["fits"] &= ~textures.ties(normals)
    names = texture_names(faces)
    result = []
    first = 0
    for number, brush in enumerate(entity.brushes):
        made = EditorBrush(f"{name}{number + 1}", brush_flags_to_editor(brush.flags), model_id)
        for face in range(first, first + counts[number]):
            if len(rings[face]):
                made.faces.append(_editor_face(faces[face], settings[face], names[face], rings[face]))
        dull = [face for face in range(first, first + counts[number]) if not _has_look(faces[face], settings[face])]
        if dull:
            left_out.append(
                f"the textures of {number_of(len(dull), 'faces')} of brush {made.name!r}, which have no usable vectors"
            )
        first += counts[number]
        if len(made.faces) < len(brush.faces):
            left_out.append(
                f"{number_of(len(brush.faces) - len(made.faces), 'faces')} without an area of brush {made.name!r}"
            )
        if len(made.faces) < 4:
            left_out.append(f"brush {made.name!r}, which encloses nothing")
            continue
        if brush.flags & BrushFlag.SHEET:
            made.faces[0].flags |= int(EditorFaceFlag.SHEET)
            for back in made.faces[1:]:
                back.flags &= ~int(EditorFaceFlag.VISIBLE)
        result.append(made)
    return result


def _rings(polygons: geometry.Polygons, counts: Sequence[int]) -> list[Singles]:
    """The points of faces as the editor has them, clockwise; none of those without an area. counts: a brush's faces."""
    result = []
    for face, closed in enumerate(np.repeat(polygons.closed, counts).tolist()):
        ring = polygons.positions[polygons.corners[polygons.first_corner[face] : polygons.first_corner[face + 1]]]
        if len(ring) and not closed:  # what nothing closes has no end
            ring = within(ring, WORLD_BOUND)
        result.append((ring[::-1] if len(ring) >= 3 else ring[:0]).astype(np.float32))
    return result


def _padded(polygons: list[Singles]) -> tuple[Singles, Indices]:
    """Polygons as one array, float32[n, v, 3], and how many corners they have."""
    counts = np.array([len(points) for points in polygons], np.intp)
    result = np.zeros((len(polygons), int(counts.max(initial=1)), 3), np.float32)
    result[np.arange(result.shape[1]) < counts[:, None]] = np.concatenate([np.empty((0, 3), np.float32), *polygons])
    return result, counts


def _written_normals(rings: list[Singles]) -> Singles:
    """The normals that the editor finds when it reads the points, which have six decimals in the file."""
    points, counts = _padded(rings)
    return planes_of(np.round(points.astype(np.float64), 6).astype(np.float32), counts)[0].normals


def _has_look(face: np.void, setting: np.void) -> bool:
    """Whether a face's texture and light are numbers that text can hold; vectors without a length are not."""
    floats = [face[name] for name in ("mip_map_bias", "alpha", "reflective_scale", "face_light")]
    floats += [setting["rotate"], *setting["scale"], *setting["light_scale"], *setting["shift"]]
    return bool((np.abs(floats) < INT_BOUND).all())


def _editor_face(face: np.void, setting: np.void, name: str, points: Singles) -> EditorFace:
    flags = face_flags_to_editor(int(face["flags"])) | int(EditorFaceFlag.VISIBLE)
    made = EditorFace(points, name, flags)
    if not _has_look(face, setting):
        return made
    made.light, made.mip_map_bias = round(float(face["face_light"])), float(face["mip_map_bias"])
    made.translucency, made.reflectivity = float(face["alpha"]), float(face["reflective_scale"])
    made.scale = float(setting["scale"][0]), float(setting["scale"][1])
    made.light_scale = float(setting["light_scale"][0]), float(setting["light_scale"][1])
    shift = setting["shift"]
    made.shift = int(shift[0]), int(shift[1])
    rotate = float(setting["rotate"])
    if setting["fits"] and rotate.is_integer() and (shift == np.trunc(shift)).all():
        made.rotate = rotate
        return made
    made.flags |= int(EditorFaceFlag.TEXTURELOCKED)
    made.rotate, made.transform, made.position = lock(face, made.light_scale, made.scale, made.shift)
    return made
